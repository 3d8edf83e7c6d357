import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// A TCP connection that sends exact bytes, for requests that no well-behaved client makes.
final class RawConnection {
  private let descriptor: Int32

  init(_ server: RunningServer) throws {
    let port = UInt16(server.address.split(separator: ":").last ?? "0") ?? 0
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw POSIXError(.ECONNREFUSED) }
    var timeout = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// Sends all bytes; false if the server has closed the connection.
  @discardableResult
  func send(_ data: Data) -> Bool {
    var sent = 0
    while sent < data.count {
      let count = data.withUnsafeBytes { bytes in
        Glibc.send(descriptor, bytes.baseAddress?.advanced(by: sent), data.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Data(text.utf8)) }

  /// Reads up to `end`, or until the server closes.
  func read(until end: String? = nil) -> String {
    var gathered = Data()
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count <= 0 { break }
      gathered.append(contentsOf: chunk[0..<count])
      if let end, String(decoding: gathered, as: UTF8.self).contains(end) { break }
    }
    return String(decoding: gathered, as: UTF8.self)
  }
}

import Foundation

/// A TCP socket on 127.0.0.1. Calls block, so each socket has its own threads.
final class Socket: Sendable {
  let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Listens on a free port.
  static func listening() throws -> (socket: Socket, port: Int) {
    let socket = Socket(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    var address = address(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket.descriptor, $0, size) == 0 && listen(socket.descriptor, 64) == 0
          && getsockname(socket.descriptor, $0, &size) == 0
      }
    }
    guard isListening else { throw POSIXError(.EADDRINUSE) }
    return (socket, Int(UInt16(bigEndian: address.sin_port)))
  }

  static func connected(to port: Int) -> Socket? {
    let socket = Socket(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    var address = address(port: port)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    return isConnected ? socket : nil
  }

  private static func address(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  func accept() -> Socket? {
    let accepted = Glibc.accept(descriptor, nil, nil)
    return accepted < 0 ? nil : Socket(accepted)
  }

  /// Some bytes; nil at the end.
  func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer.prefix(count)) : nil
  }

  @discardableResult func write(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Closes the sending side.
  func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Closes both directions, which ends pending reads.
  func cut() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// A value under a lock.
final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func with<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(&value)
  }
}

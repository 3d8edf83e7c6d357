import Foundation
import Support

#if canImport(Glibc)
  import Glibc
#endif

/// A local receiver of webhooks with configurable responses.
package final class Receiver: @unchecked Sendable {
  /// The response to a complete request.
  package enum Reply: Sendable {
    case status(Int, headers: [String] = [])
    /// Closes without a response.
    case cut
    /// Stays silent for this time, then closes.
    case silence(seconds: Double)
    /// Sends an endless body.
    case endless
    /// Sends endless headers.
    case endlessHeaders
  }

  package struct Taken: Sendable {
    package var head: String
    package var body: [UInt8]

    package func header(_ name: String) -> String? {
      head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name):") }
        .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }
  }

  package let port: Int
  private let socket: Int32
  private let requests = Locked<[Taken]>([])
  private let reply: @Sendable (Int) -> Reply

  /// - Parameter reply: The response to the request with this number, from 0.
  package init(_ reply: @escaping @Sendable (Int) -> Reply) {
    self.reply = reply
    signal(SIGPIPE, SIG_IGN)
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    port = withUnsafeMutablePointer(to: &place) { [socket] place in
      place.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(socket, address, length)
        listen(socket, 64)
        getsockname(socket, address, &length)
      }
      return Int(UInt16(bigEndian: place.pointee.sin_port))
    }
    Thread { [self] in
      while true {
        let connection = accept(socket, nil, nil)
        guard connection >= 0 else { return }
        Thread { self.serve(connection) }.start()
      }
    }.start()
  }

  /// Stops accepting connections.
  package func stop() { shutdown(socket, Int32(SHUT_RDWR)) }

  package var taken: [Taken] { requests.withLock { $0 } }

  /// Waits for this many requests, at most ten seconds, and returns all.
  package func taken(atLeast count: Int) async throws -> [Taken] {
    for _ in 0..<1000 {
      if taken.count >= count { break }
      try await Task.sleep(for: .milliseconds(10))
    }
    return taken
  }

  private func serve(_ connection: Int32) {
    defer { close(connection) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      bytes += buffer[..<count]
      let text = String(decoding: bytes, as: UTF8.self)
      guard let end = text.range(of: "\r\n\r\n") else { continue }
      let head = String(text[..<end.lowerBound])
      let body = Array(bytes.dropFirst(head.utf8.count + 4))
      let taken = Taken(head: head, body: body)
      guard body.count >= Int(taken.header("content-length") ?? "0") ?? 0 else { continue }
      let number = requests.withLock {
        $0.append(taken)
        return $0.count - 1
      }
      return answer(reply(number), on: connection)
    }
  }

  private func answer(_ reply: Reply, on connection: Int32) {
    func say(_ text: String) -> Bool {
      let bytes = Array(text.utf8)
      return send(connection, bytes, bytes.count, 0) == bytes.count
    }
    switch reply {
    case .status(let status, let headers):
      _ = say("HTTP/1.1 \(status) X\r\n\(headers.map { $0 + "\r\n" }.joined())Content-Length: 2\r\n\r\nok")
    case .cut: break
    case .silence(let seconds): Thread.sleep(forTimeInterval: seconds)
    case .endless:
      guard say("HTTP/1.1 200 OK\r\n\r\n") else { return }
      while say(String(repeating: "x", count: 10_000)) {}
    case .endlessHeaders:
      guard say("HTTP/1.1 200 OK\r\n") else { return }
      while say("X-\(String(repeating: "x", count: 1_000)): y\r\n") {}
    }
  }
}

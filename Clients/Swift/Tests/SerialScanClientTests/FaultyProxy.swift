import Foundation

/// A TCP proxy in front of a server that rejects, delays, cuts and duplicates connections.
final class FaultyProxy: Sendable {
  /// The fault of a connection. Offsets are in bytes.
  enum Fault: Sendable {
    case none
    /// It is closed immediately.
    case refuse
    /// Bytes from this offset on are delayed.
    case delay(at: Int, milliseconds: Int)
    /// Both sides are closed after this many bytes of the request.
    case cutRequest(at: Int)
    /// Only the server's side is closed after this many bytes of the request; the client gets the server's response.
    case endRequest(at: Int)
    /// Both sides are closed after this many bytes of the response.
    case cutResponse(at: Int)
    /// The request is also sent to the server over a second connection, at the same time.
    case double

    var name: String { String(describing: self).prefix { $0 != "(" }.description }
  }

  let port: Int
  var address: URL { URL(string: "http://127.0.0.1:\(port)")! }
  private let listener: Socket
  private let server: Int
  private let fault: @Sendable () -> Fault
  private let counts = Locked<[String: Int]>([:])

  /// Listens on a free port for the server's; `fault` returns the fault of each connection.
  init(server: Int, fault: @escaping @Sendable () -> Fault) throws {
    (listener, port) = try Socket.listening()
    self.server = server
    self.fault = fault
    let listener = listener
    Thread.detachNewThread { [weak self] in
      while let client = listener.accept() {
        guard let self else { return }
        let fault = self.fault()
        self.counts.with { $0[fault.name, default: 0] += 1 }
        Self.serve(client, fault, self.server)
      }
    }
  }

  deinit { listener.cut() }

  /// The number of connections by fault.
  var connections: [String: Int] { counts.with { $0 } }

  private static func serve(_ client: Socket, _ fault: Fault, _ port: Int) {
    if case .refuse = fault { return client.cut() }
    guard let server = Socket.connected(to: port) else { return client.cut() }
    let second = if case .double = fault { Socket.connected(to: port) } else { nil as Socket? }
    if let second { Thread.detachNewThread { while second.read() != nil {} } }
    Thread.detachNewThread {
      var sent = 0
      while let bytes = client.read() {
        var bytes = bytes[...]
        if case .delay(let offset, let time) = fault, (sent..<(sent + bytes.count)).contains(offset) {
          usleep(UInt32(time) * 1000)
        }
        switch fault {
        case .cutRequest(let offset), .endRequest(let offset): bytes = bytes.prefix(max(0, offset - sent))
        default: break
        }
        server.write(bytes)
        second?.write(bytes)
        sent += bytes.count
        if case .cutRequest(let offset) = fault, sent >= offset {
          client.cut()
          server.cut()
          return
        }
        if case .endRequest(let offset) = fault, sent >= offset { break }
      }
      server.endWriting()
      second?.endWriting()
    }
    Thread.detachNewThread {
      var sent = 0
      while let bytes = server.read() {
        var bytes = bytes[...]
        if case .cutResponse(let offset) = fault { bytes = bytes.prefix(max(0, offset - sent)) }
        client.write(bytes)
        sent += bytes.count
        if case .cutResponse(let offset) = fault, sent >= offset { break }
      }
      client.cut()
      server.cut()
    }
  }
}

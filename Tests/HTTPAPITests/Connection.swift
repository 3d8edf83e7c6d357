import Foundation

/// A TCP connection with HTTP written byte by byte, so that a test can be any kind of bad client.
///
/// It blocks its own threads: on a thread of the concurrency pool it would block the server.
final class Connection: @unchecked Sendable {
  struct Reply: Sendable {
    var status: Int
    var headers: [String: String]
    var body: Data

    var json: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }
    var text: String { String(decoding: body, as: UTF8.self) }
    var errorCode: String? { json["error_code"] as? String }
    var detail: String? { json["detail"] as? String }
  }

  private let descriptor: Int32
  private var received = Data()

  init(port: Int) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    precondition(connected == 0, "can't connect to port \(port)")
    var timeout = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// Sends bytes; false if the server no longer accepts them.
  @discardableResult
  func send(_ data: Data) async -> Bool { await onThread { self.write(data) } }

  @discardableResult
  func send(_ text: String) async -> Bool { await send(Data(text.utf8)) }

  /// Closes the sending side; the response can still be read.
  func closeSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Ends the connection with a reset when this value is released, as a client that died does.
  func resetAtEnd() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  /// Reads one response; nil if the connection ends first.
  func reply(toHead: Bool = false) async -> Reply? { await onThread { self.readReply(toHead: toHead) } }

  /// Whether the server has closed the connection, after reading all it sent.
  func isClosedByServer() async -> Bool {
    await onThread {
      while self.fill() {}
      return true
    }
  }

  /// What the server sends up to and including a text; nil if it closes first.
  func text(upTo end: String) async -> String? {
    await onThread {
      while true {
        if let range = self.received.range(of: Data(end.utf8)) {
          defer { self.received = Data(self.received[range.upperBound...]) }
          return String(decoding: self.received[..<range.upperBound], as: UTF8.self)
        }
        guard self.fill() else { return nil }
      }
    }
  }

  /// Everything the server sends until it closes.
  func everything() async -> Data {
    await onThread {
      while self.fill() {}
      return self.received
    }
  }

  func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: work()) }
    }
  }

  private func write(_ data: Data) -> Bool {
    data.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = Glibc.send(descriptor, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  private func readReply(toHead: Bool) -> Reply? {
    let blank = Data("\r\n\r\n".utf8)
    while received.range(of: blank) == nil { guard fill() else { return nil } }
    guard let end = received.range(of: blank) else { return nil }
    let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    received = Data(received[end.upperBound...])
    let status = Int(lines[0].split(separator: " ")[1]) ?? 0
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    if status < 200 || toHead { return Reply(status: status, headers: headers, body: Data()) }
    var body = Data()
    if headers["transfer-encoding"] == "chunked" {
      guard let chunked = chunkedBody() else { return nil }
      body = chunked
    } else {
      let length = headers["content-length"].flatMap { Int($0) } ?? 0
      while received.count < length { guard fill() else { return nil } }
      body = Data(received.prefix(length))
      received = Data(received.dropFirst(length))
    }
    return Reply(status: status, headers: headers, body: body)
  }

  private func chunkedBody() -> Data? {
    var body = Data()
    while true {
      let lineEnd = Data("\r\n".utf8)
      while received.range(of: lineEnd) == nil { guard fill() else { return nil } }
      guard let end = received.range(of: lineEnd),
        let size = Int(String(decoding: received[..<end.lowerBound], as: UTF8.self), radix: 16)
      else { return nil }
      received = Data(received[end.upperBound...])
      while received.count < size + 2 { guard fill() else { return nil } }
      body += received.prefix(size)
      received = Data(received.dropFirst(size + 2))
      if size == 0 { return body }
    }
  }

  /// Discards up to `count` bytes of what the server sends.
  func takeSome(_ count: Int) -> Int? {
    if received.isEmpty, !fill() { return nil }
    var taken = 0
    while taken < count, !received.isEmpty || fill() {
      let some = min(count - taken, received.count)
      received = Data(received.dropFirst(some))
      taken += some
    }
    return taken
  }

  private func fill() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    received += buffer[..<count]
    return true
  }
}

extension RunningAPI {
  /// Sends a request on a new connection.
  func request(
    _ method: String, _ path: String, headers: [String: String] = [:], body: Data? = nil
  ) async -> Connection.Reply? {
    let connection = Connection(port: port)
    var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    await connection.send(Data("\(head)\r\n".utf8) + (body ?? Data()))
    return await connection.reply(toHead: method == "HEAD")
  }

  func get(_ path: String, headers: [String: String] = [:]) async -> Connection.Reply? {
    await request("GET", path, headers: headers)
  }

  /// Uploads a photo as a form.
  func upload(
    _ photo: Data?, to path: String = "/scan", field: String = "image", fields: [String: String] = [:],
    headers: [String: String] = [:]
  ) async -> Connection.Reply? {
    await request(
      "POST", path, headers: headers.merging(Form.headers) { $1 },
      body: Form.body(photo: photo, field: field, fields: fields))
  }
}

enum Form {
  static let headers = ["Content-Type": "multipart/form-data; boundary=b"]

  static func body(photo: Data?, field: String = "image", fields: [String: String] = [:]) -> Data {
    var body = Data()
    for (name, value) in fields {
      body += Data("--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
    }
    if let photo {
      body += Data("--b\r\nContent-Disposition: form-data; name=\"\(field)\"; filename=\"a.jpg\"\r\n\r\n".utf8)
      body += photo + Data("\r\n".utf8)
    }
    return body + Data("--b--\r\n".utf8)
  }
}

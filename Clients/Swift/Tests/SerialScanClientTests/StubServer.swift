import Foundation

/// A server that sends its responses in order, and repeats the last one.
final class StubServer: Sendable {
  /// A response: status, headers and body; nil closes the connection without one.
  struct Answer: Sendable {
    var status: Int
    var headers = ""
    var body: String
  }

  let address: URL
  private let listener: Socket
  private let received = Locked<[String]>([])

  init(_ answers: [Answer?]) throws {
    let (listener, port) = try Socket.listening()
    self.listener = listener
    address = URL(string: "http://127.0.0.1:\(port)")!
    let received = received
    Thread.detachNewThread {
      var next = 0
      while let client = listener.accept() {
        guard let request = Self.readRequest(client) else { continue }
        received.with { $0.append(request) }
        let answer = answers[min(next, answers.count - 1)]
        next += 1
        if let answer {
          client.write(
            Array(
              """
              HTTP/1.1 \(answer.status) Status\r\nContent-Type: application/json\r\nConnection: close\r
              Content-Length: \(answer.body.utf8.count)\r\n\(answer.headers)\r\n\(answer.body)
              """.utf8))
        }
        client.cut()
      }
    }
  }

  deinit { listener.cut() }

  /// The heads and bodies of the requests so far.
  var requests: [String] { received.with { $0 } }

  /// Reads one request by its Content-Length.
  private static func readRequest(_ client: Socket) -> String? {
    var bytes: [UInt8] = []
    while let more = client.read() {
      bytes += more
      let text = String(decoding: bytes, as: UTF8.self)
      guard let end = text.range(of: "\r\n\r\n") else { continue }
      let head = text[..<end.lowerBound]
      let length =
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
      if bytes.count >= head.utf8.count + 4 + length { return text }
      if text.lowercased().contains("100-continue") { client.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
    }
    return nil
  }

  static let scanned = Answer(
    status: 200,
    body: """
      {"job_id":"6f1c1b5e-0000-4000-8000-000000000001","status":"queued","message":"m","queue_position":1,\
      "estimated_wait_time":"1 second","check_status_url":"/result/1"}
      """)

  static func error(_ status: Int, _ code: String, headers: String = "") -> Answer {
    Answer(status: status, headers: headers, body: #"{"detail":"d","error_code":"\#(code)","status_code":\#(status)}"#)
  }
}

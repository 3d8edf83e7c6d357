import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests to one server, with retries, deadlines and error handling.
struct Connection: Sendable {
  let baseURL: URL
  let apiKey: String?
  let retries: RetryPolicy
  let deadlines: Deadlines
  let session: URLSession

  /// Sends a request and decodes its response.
  func json<Answer: Decodable & Sendable>(
    _ request: Request, retries: RetryPolicy? = nil, as type: Answer.Type = Answer.self
  ) async throws -> Answer {
    try await retrying(request, retries ?? self.retries) { urlRequest in
      let data = try await answer(to: urlRequest, request)
      // A broken connection may truncate the response; the request is then sent again.
      do { return try Wire.decoder().decode(Answer.self, from: data) } catch {
        throw SerialScanError.unreadable(answer: "\(error)")
      }
    }
  }

  /// Sends a request and returns the response's body.
  @discardableResult func data(_ request: Request) async throws -> Data {
    try await retrying(request, retries) { try await answer(to: $0, request) }
  }

  /// Sends a request and ignores the response's body.
  func send(_ request: Request) async throws { try await data(request) }

  /// Sends a request and moves its response to a file.
  func download(_ request: Request, to file: URL) async throws {
    try await retrying(request, retries) { urlRequest in
      let (temporary, response) = try await session.download(for: urlRequest)
      defer { try? FileManager.default.removeItem(at: temporary) }
      let status = (response as? HTTPURLResponse)?.statusCode ?? 0
      guard request.acceptedStatuses.contains(status) else {
        throw SerialScanError(
          answer: (try? Data(contentsOf: temporary)) ?? Data(), status: status, retryAfter: Self.retryAfter(response))
      }
      do {
        if FileManager.default.fileExists(atPath: file.path) {
          _ = try FileManager.default.replaceItemAt(file, withItemAt: temporary)
        } else {
          try FileManager.default.moveItem(at: temporary, to: file)
        }
      } catch { throw SerialScanError.notWritten(file, error) }
    }
  }

  private func answer(to urlRequest: URLRequest, _ request: Request) async throws -> Data {
    let (data, response) =
      switch request.body {
      case .none: try await session.data(for: urlRequest)
      case .data(let body): try await session.upload(for: urlRequest, from: body)
      case .file(let url): try await session.upload(for: urlRequest, fromFile: url)
      }
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard request.acceptedStatuses.contains(status) else {
      throw SerialScanError(answer: data, status: status, retryAfter: Self.retryAfter(response))
    }
    return data
  }

  /// Attempts a request until it succeeds, can't succeed, or exceeds its deadline.
  private func retrying<Value: Sendable>(
    _ request: Request, _ retries: RetryPolicy, _ attempt: @escaping @Sendable (URLRequest) async throws -> Value
  ) async throws -> Value {
    let urlRequest = try urlRequest(request)
    let end = ContinuousClock.now + deadlines.whole
    var attempts = 0
    while true {
      attempts += 1
      do {
        let limit = min(request.step ?? deadlines.step, end - .now)
        return try await withDeadline(limit) {
          do { return try await attempt(urlRequest) } catch let error as URLError {
            try Task.checkCancellation()
            throw SerialScanError(error)
          }
        }
      } catch let error as SerialScanError {
        try Task.checkCancellation()
        let pause = retries.pause(afterAttempt: attempts, retryAfter: error.retryAfter)
        // 429 and most 503 responses mean that nothing was done, so these requests may always be repeated.
        let isHarmless = request.isRepeatable || error.statusCode == 429 || error.statusCode == 503
        guard error.isRetryable, isHarmless, attempts < retries.attempts, .now + pause < end else { throw error }
        try await Task.sleep(for: pause)
      }
    }
  }

  /// Builds the request with its URL and headers, without a body.
  func urlRequest(_ request: Request) throws -> URLRequest {
    let base = baseURL.absoluteString
    let address = base.hasSuffix("/") ? base + request.target : "\(base)/\(request.target)"
    guard let url = URL(string: address) else {
      throw SerialScanError(.badRequest, "`\(address)` is not a URL. Check the base URL.", statusCode: 400)
    }
    var result = URLRequest(url: url)
    result.httpMethod = request.method.rawValue
    result.setValue("application/json", forHTTPHeaderField: "Accept")
    for (name, value) in request.headers { result.setValue(value, forHTTPHeaderField: name) }
    if let apiKey { result.setValue("Bearer \(apiKey)", forHTTPHeaderField: "Authorization") }
    return result
  }

  /// The Retry-After header, which this server sends in seconds.
  private static func retryAfter(_ response: URLResponse) -> String? {
    (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Retry-After")
  }
}

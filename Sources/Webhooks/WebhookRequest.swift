import CWebhookPost
import Foundation
import Settings

/// A POST request to a receiver.
package struct WebhookRequest: Sendable {
  /// The outcome of a request.
  package enum Answer: Sendable, Equatable {
    case status(Int)
    /// No response arrived; the sentence gives the reason.
    case none(String)
    /// The task was cancelled.
    case cancelled
  }

  package var url: WebhookURL
  package var headers: [String]
  package var userAgent: String
  package var body: [UInt8]
  /// The timeout in seconds, from connecting to the end of the response.
  package var timeout: Double

  /// Creates a request.
  package init(url: WebhookURL, headers: [String], userAgent: String, body: [UInt8], timeout: Double) {
    self.url = url
    self.headers = headers
    self.userAgent = userAgent
    self.body = body
    self.timeout = timeout
  }

  /// The maximum number of bytes read of a response's headers, and of its body.
  private static let mostBytes = 65_536

  /// Resolves the host once and sends the request to those of its addresses that `rules` admit.
  package func send(_ rules: WebhookRules, resolve: @escaping Resolver = WebhookRequest.resolve) async -> Answer {
    let stop = StopFlag()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // libcurl and the resolver block, and of Dispatch's threads two cores start only one or two in a second.
        let thread = Thread { continuation.resume(returning: perform(rules, resolve, stop)) }
        thread.name = "webhook"
        thread.start()
      }
    } onCancel: {
      stop.set()
    }
  }

  /// A function that resolves a host name.
  package typealias Resolver = @Sendable (String) -> Result<[NetworkAddress], ResolveError>

  package struct ResolveError: Error {
    package var reason: String
  }

  /// Resolves a host with the system's resolver, including /etc/hosts.
  package static let resolve: Resolver = { host in
    var list = [CChar](repeating: 0, count: 4096)
    if let problem = webhook_resolve(host, &list, list.count) {
      return .failure(ResolveError(reason: String(cString: problem)))
    }
    let text = String(decoding: list.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return .success(text.split(separator: ",").compactMap { NetworkAddress(String($0)) })
  }

  private func perform(_ rules: WebhookRules, _ resolve: Resolver, _ stop: StopFlag) -> Answer {
    let addresses: [NetworkAddress]
    switch resolve(url.host) {
    case .success(let found): addresses = found
    case .failure(let error): return .none("The host's name could not be resolved: \(error.reason).")
    }
    if stop.isSet { return .cancelled }
    let admitted = addresses.filter(rules.admits)
    guard !admitted.isEmpty else {
      return .none("The host has no public address, and webhooks.allow does not name the ones it has.")
    }
    var answer = webhook_answer()
    let milliseconds = Int(exactly: (min(max(timeout, 0.001), 3600) * 1000).rounded()) ?? 10_000
    url.text.withCString { text in
      url.host.withCString { host in
        admitted.map(\.text).joined(separator: ",").withCString { addresses in
          headers.map { "\($0)\n" }.joined().withCString { headers in
            userAgent.withCString { agent in
              body.withUnsafeBufferPointer { body in
                var post = webhook_post(
                  url: text, host: host, port: Int32(clamping: url.port), addresses: addresses, headers: headers,
                  user_agent: agent, body: body.baseAddress, body_size: body.count, timeout: milliseconds,
                  most_bytes: Self.mostBytes, stop: stop.pointer)
                webhook_send(&post, &answer)
              }
            }
          }
        }
      }
    }
    if answer.status > 0 { return .status(Int(clamping: answer.status)) }
    if stop.isSet { return .cancelled }
    let reason = withUnsafeBytes(of: answer.error) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return .none("No response: \(reason).")
  }

  /// A flag that stops a request; the sending thread polls it.
  private final class StopFlag: @unchecked Sendable {
    let pointer = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

    init() { pointer.initialize(to: 0) }
    deinit { pointer.deallocate() }

    var isSet: Bool { webhook_is_stopped(pointer) }
    func set() { webhook_stop(pointer) }
  }
}

import HTTPTypes
import Hummingbird
import JobStore
import Logging
import NIOCore
import NIOHTTPTypes
import Settings

/// What belongs to one request while it is answered.
struct APIContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The connection on which the request came.
  let channel: any Channel
  /// Who sent the request.
  var caller = Caller()
  /// Under what the request stands in logs.
  var origin = RequestOrigin(requestID: "")
  /// What the request's log line tells beside the answer.
  let note = RequestNote()

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// The client's address, as far as it is known; behind a trusted proxy, what that says.
  var client: NetworkAddress?

  /// The client's address without its port.
  var clientAddress: String { client?.text ?? "unknown" }

  /// Asks a client that waits for it to send the body (RFC 9110, 10.1.1).
  ///
  /// Sent just before the body is read, so that a request that is refused for its head alone is refused at once.
  func sendContinue(for request: Request) async throws {
    guard request.headers[.expect]?.lowercased() == "100-continue" else { return }
    try await channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)))
  }

  /// Runs work that waits, and cancels it when the client hangs up.
  func whileConnected<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    try await whileConnected(Task { try await work() })
  }

  /// Has an action done when the client hangs up; returns how to forget it, nil if the client is gone already.
  /// `probe` writes a part of the answer, to find out whether a client that has closed its side still reads.
  func onHangUp(
    _ action: @escaping @Sendable () -> Void, probe: (@Sendable () -> Void)? = nil
  ) async -> (@Sendable () -> Void)? {
    let number = try? await channel.eventLoop.submit { [channel] in
      try channel.pipeline.syncOperations.handler(type: ConnectionDeadlines.self).onHangUp(action, probe: probe)
    }.get()
    // Without the handler the connection is gone.
    guard let number else { return nil }
    return { [channel] in
      channel.eventLoop.execute {
        try? channel.pipeline.syncOperations.handler(type: ConnectionDeadlines.self).forgetHangUp(number)
      }
    }
  }

  /// Waits for a task, and cancels it when the client hangs up.
  func whileConnected<Value: Sendable>(_ task: Task<Value, any Error>) async throws -> Value {
    guard let forget = await onHangUp({ task.cancel() }) else {
      task.cancel()
      throw CancellationError()
    }
    defer { forget() }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

extension APIContext {
  /// Who is counted where clients have shares: the key, or the address without one.
  var callerName: String { caller.keyID.map { "key \($0)" } ?? "address \(client?.client ?? "unknown")" }

  /// What a job or a serial that this request brings keeps of where it came from.
  var jobOrigin: Origin { Origin(keyID: caller.keyID, requestID: origin.requestID, traceID: origin.traceID) }
}

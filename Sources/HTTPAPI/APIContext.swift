import HTTPTypes
import Hummingbird
import JobStore
import Logging
import NIOCore
import NIOHTTPTypes
import Settings

/// The context of one request.
struct APIContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The connection of the request.
  let channel: any Channel
  /// The sender of the request.
  var caller = Caller()
  /// The ids of the request in logs.
  var origin = RequestOrigin(requestID: "")
  /// Values for the request's log line besides the response.
  let note = RequestNote()

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }

  /// The client's address, if known; behind a trusted proxy, the address that the proxy reports.
  var client: NetworkAddress?

  /// The client's address without its port.
  var clientAddress: String { client?.text ?? "unknown" }

  /// Asks a client that sent `Expect: 100-continue` for the body (RFC 9110, 10.1.1).
  ///
  /// Called just before the body is read, so that a request rejected for its head is answered without the body being
  /// sent.
  func sendContinue(for request: Request) async throws {
    guard request.headers[.expect]?.lowercased() == "100-continue" else { return }
    try await channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)))
  }

  /// Runs work, and cancels it when the client disconnects.
  func whileConnected<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    try await whileConnected(Task { try await work() })
  }

  /// Registers an action for when the client disconnects. Returns a function that removes it; nil if the client is
  /// already gone. `probe` writes a part of the response, to find out whether a client that has closed its side still
  /// reads.
  func onHangUp(
    _ action: @escaping @Sendable () -> Void, probe: (@Sendable () -> Void)? = nil
  ) async -> (@Sendable () -> Void)? {
    let number = try? await channel.eventLoop.submit { [channel] in
      try channel.pipeline.syncOperations.handler(type: ConnectionDeadlines.self).onHangUp(action, probe: probe)
    }.get()
    // If the handler is missing, the connection is closed.
    guard let number else { return nil }
    return { [channel] in
      channel.eventLoop.execute {
        try? channel.pipeline.syncOperations.handler(type: ConnectionDeadlines.self).forgetHangUp(number)
      }
    }
  }

  /// Waits for a task, and cancels it when the client disconnects.
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
  /// The name under which the client's share is counted: its key, or without one its address.
  var callerName: String { caller.keyID.map { "key \($0)" } ?? "address \(client?.client ?? "unknown")" }

  /// The origin to store with a job or a serial that this request creates.
  var jobOrigin: Origin { Origin(keyID: caller.keyID, requestID: origin.requestID, traceID: origin.traceID) }
}

import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import Support

/// Enforces a connection's deadlines, and closes it cleanly if a request is answered before it has arrived.
///
/// The deadlines for head and body limit their total time, not the pause between two bytes, so that a client that sends
/// one byte per second occupies a connection only for a known time. A response may be large, so it must be read at a
/// minimum rate (`WriteAllowance`). After an early response (for example to a body over the limit) the connection is
/// half-closed, and further input is discarded for a moment so that the client can read the response. Then it is
/// closed.
final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  struct Times: Sendable {
    var header: TimeAmount
    var body: TimeAmount
    var write: TimeAmount
    /// The minimum rate in bytes per second at which a client must read a response.
    var leastWriteRate: Double
    var idle: TimeAmount
    /// How long a client may keep sending after an early response.
    var linger = TimeAmount.seconds(1)
  }

  /// The bytes discarded after an early response before the connection is closed at once.
  private static let lingerLimit = 32 * 1024 * 1024
  /// The bytes of a response that are written, and recorded as read, at a time.
  private static let sliceSize = 32 * 1024

  private enum Phase {
    case open
    case lingering
    case closed
  }

  private struct HangUp {
    var action: @Sendable () -> Void
    var probe: (@Sendable () -> Void)?
  }

  private let times: Times
  private let refused: @Sendable (RefusedConnection) -> Void
  private var phase = Phase.open
  private var unanswered = 0
  private var isReceiving = false
  private var isAnswering = false
  private var closesAfterAnswer = false
  /// The number of responses until the connection closes, if the client asked for `Connection: close`.
  private var answersUntilClose: Int?
  private var discarded = 0
  private var readTimer: Scheduled<Void>?
  private var writeTimer: Scheduled<Void>?
  private var allowance: WriteAllowance?
  /// The number of written parts that the client has not read yet.
  private var untaken = 0
  /// Whether the client has closed its side. It may still read.
  private var isHalfClosed = false
  private var context: ChannelHandlerContext?
  /// Invalid HTTP after requests that are still being answered; it is answered after them.
  private var lateError: HTTPParserError?
  private var hangUpActions: [Int: HangUp] = [:]
  private var nextHangUpAction = 0

  /// Creates a handler.
  ///
  /// - Parameters:
  ///   - times: The deadlines.
  ///   - refused: Called for requests answered before their head arrived, which reach no other handler.
  init(times: Times, refused: @escaping @Sendable (RefusedConnection) -> Void) {
    self.times = times
    self.refused = refused
  }

  /// Registers an action for when the connection closes, and returns its number for `forgetHangUp`. Runs it at once if
  /// the connection is already closed.
  ///
  /// - Parameter probe: Writes a part of the current response, so that `probe()` can find out whether the client is
  ///   still there.
  func onHangUp(_ action: @escaping @Sendable () -> Void, probe: (@Sendable () -> Void)? = nil) -> Int {
    nextHangUpAction += 1
    if phase == .closed {
      action()
    } else {
      hangUpActions[nextHangUpAction] = HangUp(action: action, probe: probe)
      if isHalfClosed { self.probe() }
    }
    return nextHangUpAction
  }

  /// Removes an action, because a connection may live for very many requests.
  func forgetHangUp(_ number: Int) { hangUpActions[number] = nil }

  /// Checks whether a client that has closed its side still reads: if it is gone, its system replies to new data with a
  /// reset. A waiting client ignores a further `100 Continue` (RFC 9110, 15.2).
  private func probe() {
    for hangUp in hangUpActions.values { hangUp.probe?() }
    guard let context, phase == .open, !isAnswering, !isReceiving, unanswered == 1, untaken == 0 else { return }
    context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    if let decoder = try? context.pipeline.syncOperations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) {
      try? context.pipeline.syncOperations.addHandlers(OldClients(), HeadResponses(), position: .after(decoder))
    }
    if context.channel.isActive { startReadTimer(times.header, context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelActive(context: ChannelHandlerContext) {
    startReadTimer(times.header, context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed {
      isHalfClosed = true
      if !hangUpActions.isEmpty { probe() }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    guard phase == .open else {
      if case .body(let bytes) = part { discarded += bytes.readableBytes }
      if discarded > Self.lingerLimit { context.close(promise: nil) }
      return
    }
    switch part {
    case .head(let head):
      unanswered += 1
      isReceiving = true
      if head.headerFields[.connection]?.lowercased() == "close" {
        answersUntilClose = answersUntilClose ?? unanswered
      }
      startReadTimer(times.body, context)
    case .body: break
    case .end:
      isReceiving = false
      readTimer?.cancel()
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if phase == .lingering { context.read() }
    context.fireChannelReadComplete()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? HTTPParserError, phase == .open else { return context.fireErrorCaught(error) }
    // A client may continue as soon as it has a whole response, which can be before the response's end was written.
    if canAnswer { answer(error, context) } else { lateError = lateError ?? error }
  }

  /// Whether no response of the application is in progress or pending.
  private var canAnswer: Bool { !isAnswering && (unanswered == 0 || (unanswered == 1 && isReceiving)) }

  private func answer(_ error: HTTPParserError, _ context: ChannelHandlerContext) {
    switch error {
    case .headerOverflow:
      answer(APIError(.headersTooLarge, "The headers of the request are too large. Send fewer."), context)
    case .invalidEOFState: answer(.endsInTheMiddle, context)
    case .invalidURL:
      answer(
        .badRequest("The address has characters that must be percent-encoded, such as ü as %C3%BC, in UTF-8."), context)
    default: answer(.badRequest("The request is not valid HTTP."), context)
    }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard phase == .open else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(let head) where head.status.kind == .informational: context.write(data, promise: promise)
    case .head(var head):
      isAnswering = true
      if isReceiving, unanswered == 1 {
        closesAfterAnswer = true
        readTimer?.cancel()
      }
      if answersUntilClose == 1 { closesAfterAnswer = true }
      if closesAfterAnswer { head.headerFields[.connection] = "close" }
      startWriteTimer(context)
      write(.head(head), bytes: 0, promise, context)
    case .body(let bytes): writeBody(bytes, promise, context)
    case .end: writeEnd(data, promise, context)
    }
  }

  /// Writes a body in slices, so that progress is visible even if a client reads a large one slowly.
  private func writeBody(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
    var rest = bytes
    while rest.readableBytes > Self.sliceSize, let slice = rest.readSlice(length: Self.sliceSize) {
      write(.body(slice), bytes: slice.readableBytes, nil, context)
    }
    write(.body(rest), bytes: rest.readableBytes, promise, context)
  }

  /// Writes a part, and records when the client has read it.
  private func write(
    _ part: HTTPResponsePart, bytes: Int, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
  ) {
    untaken += 1
    let taken = promise ?? context.eventLoop.makePromise()
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    taken.futureResult.whenComplete { _ in
      bound.value.untaken -= 1
      bound.value.allowance?.add(bytes: bytes, now: .now())
    }
    context.write(wrapOutboundOut(part), promise: taken)
  }

  private func startWriteTimer(_ context: ChannelHandlerContext) {
    // A further response gives no new time to a client that has not read the previous one.
    guard untaken == 0 else { return }
    writeTimer?.cancel()
    let allowance = WriteAllowance(most: times.write, leastRate: times.leastWriteRate, now: .now())
    self.allowance = allowance
    scheduleWriteTimer(at: allowance.end, context)
  }

  private func scheduleWriteTimer(at deadline: NIODeadline, _ context: ChannelHandlerContext) {
    writeTimer = schedule(deadline - .now(), context) { handler, context in
      // If no output is pending, the delay is ours, not the client's.
      if handler.untaken == 0 { handler.allowance?.restart(now: .now()) }
      guard let end = handler.allowance?.end, end > .now() else { return context.close(promise: nil) }
      handler.scheduleWriteTimer(at: end, context)
    }
  }

  private func writeEnd(_ data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
    isAnswering = false
    unanswered -= 1
    answersUntilClose = answersUntilClose.map { $0 - 1 }
    let written = promise ?? context.eventLoop.makePromise()
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    untaken += 1
    written.futureResult.whenComplete { _ in
      let (handler, context) = bound.value
      handler.untaken -= 1
      handler.answerTaken(context)
    }
    if closesAfterAnswer {
      phase = .lingering
      context.writeAndFlush(data, promise: written)
    } else {
      context.write(data, promise: written)
    }
  }

  private func answerTaken(_ context: ChannelHandlerContext) {
    if phase == .lingering { return linger(context) }
    if let lateError, phase == .open, canAnswer { return answer(lateError, context) }
    // Keep the timer if parts of a further response are pending.
    guard phase == .open, untaken == 0, !isAnswering else { return }
    writeTimer?.cancel()
    if unanswered == 0, !isReceiving { startReadTimer(times.idle, context) }
  }

  /// Sends an error instead of the application's response. If the application has the request's head, its body ends
  /// with the error, so that the application logs and counts it; otherwise `refused` does.
  private func answer(_ error: APIError, _ context: ChannelHandlerContext) {
    let id = UUID().uuidString.lowercased()
    let body = (try? WireFormat.encode(ErrorBody(error))) ?? Data()
    var head = HTTPResponse(status: error.status)
    head.headerFields[.contentType] = "application/json"
    head.headerFields[.contentLength] = String(body.count)
    head.headerFields[.connection] = "close"
    if unanswered == 0, let name = HTTPField.Name("X-Request-ID") { head.headerFields[name] = id }
    phase = .lingering
    readTimer?.cancel()
    startWriteTimer(context)
    write(.head(head), bytes: 0, nil, context)
    write(.body(ByteBuffer(bytes: body)), bytes: body.count, nil, context)
    let written = context.eventLoop.makePromise(of: Void.self)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    written.futureResult.whenComplete { _ in bound.value.0.linger(bound.value.1) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    if unanswered == 0 {
      refused(RefusedConnection(status: error.status, requestID: id, address: context.channel.remoteAddress?.ipAddress))
    } else {
      context.fireErrorCaught(error)
    }
  }

  private func linger(_ context: ChannelHandlerContext) {
    guard phase == .lingering, context.channel.isActive else { return }
    writeTimer?.cancel()
    context.close(mode: .output, promise: nil)
    _ = schedule(times.linger, context) { _, context in context.close(promise: nil) }
    context.read()
  }

  private func startReadTimer(_ time: TimeAmount, _ context: ChannelHandlerContext) {
    readTimer?.cancel()
    readTimer = schedule(time, context) { handler, context in
      guard handler.phase == .open else { return }
      // A client in the middle of a request gets an error response; an idle connection is closed silently.
      if handler.isReceiving, !handler.isAnswering, handler.unanswered == 1 {
        handler.answer(.requestTimedOut, context)
      } else {
        context.close(promise: nil)
      }
    }
  }

  private func schedule(
    _ time: TimeAmount, _ context: ChannelHandlerContext,
    _ action: @escaping @Sendable (ConnectionDeadlines, ChannelHandlerContext) -> Void
  ) -> Scheduled<Void> {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    return context.eventLoop.scheduleTask(in: time) { action(bound.value.0, bound.value.1) }
  }

  private func end() {
    phase = .closed
    readTimer?.cancel()
    writeTimer?.cancel()
    context = nil
    let actions = hangUpActions.values
    hangUpActions = [:]
    for hangUp in actions { hangUp.action() }
  }
}

@available(*, unavailable)
extension ConnectionDeadlines: Sendable {}

import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import Support

/// Holds a connection to its deadlines, and ends it well where a request is answered before it has arrived.
///
/// The deadlines of head and body are for the whole of them, not for the pause between two bytes, so that a client that
/// sends a byte a second costs a connection for a known time and no longer; an answer, which may be large, has to be
/// taken at a least rate (`WriteAllowance`). After an early answer (a body over the
/// limit, say) the connection is half-closed, what still arrives is thrown away for a moment so that the client can
/// read the answer, and then it is closed.
final class ConnectionDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  struct Times: Sendable {
    var header: TimeAmount
    var body: TimeAmount
    var write: TimeAmount
    /// Bytes of an answer that a client must take each second.
    var leastWriteRate: Double
    var idle: TimeAmount
    /// For which a client may still send after an early answer.
    var linger = TimeAmount.seconds(1)
  }

  /// Bytes thrown away after an early answer before the connection is closed at once.
  private static let lingerLimit = 32 * 1024 * 1024
  /// Bytes of an answer that are written, and noted as taken, at once.
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
  /// How many answers are still to come with which the connection ends, where a client has said which.
  private var answersUntilClose: Int?
  private var discarded = 0
  private var readTimer: Scheduled<Void>?
  private var writeTimer: Scheduled<Void>?
  private var allowance: WriteAllowance?
  /// Parts of answers that the client has not taken yet.
  private var untaken = 0
  /// Whether the client has closed its side. It may still read.
  private var isHalfClosed = false
  private var context: ChannelHandlerContext?
  /// What came behind requests that are still being answered, and is no HTTP: answered after them.
  private var lateError: HTTPParserError?
  private var hangUpActions: [Int: HangUp] = [:]
  private var nextHangUpAction = 0

  /// - Parameters:
  ///   - times: The deadlines.
  ///   - refused: Hears of requests that were answered before their head had arrived, of which nobody else knows.
  init(times: Times, refused: @escaping @Sendable (RefusedConnection) -> Void) {
    self.times = times
    self.refused = refused
  }

  /// Has an action done when the connection is gone, at once where it is already; returns what `forgetHangUp` takes.
  ///
  /// - Parameter probe: Writes a part of the answer under way, for `probe()` to find out whether the client is there.
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

  /// Lets go of an action that is no longer of interest: a connection may live for very many requests.
  func forgetHangUp(_ number: Int) { hangUpActions[number] = nil }

  /// Finds out whether a client that has closed its side is still there to read: where it is gone, its system answers
  /// what is sent with a reset. `100 Continue` says nothing new to a client that waits (RFC 9110, 15.2).
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
    // A client may go on as soon as it has all of an answer, which can be before the answer's end was written.
    if canAnswer { answer(error, context) } else { lateError = lateError ?? error }
  }

  /// Whether no answer of the application's is under way or still to come.
  private var canAnswer: Bool { !isAnswering && (unanswered == 0 || (unanswered == 1 && isReceiving)) }

  private func answer(_ error: HTTPParserError, _ context: ChannelHandlerContext) {
    switch error {
    case .headerOverflow:
      answer(APIError(.headersTooLarge, "The headers of the request are too large. Send fewer."), context)
    case .invalidEOFState: answer(.endsInTheMiddle, context)
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

  /// Writes a body in slices, so that also a client that takes a large one slowly is seen to take it.
  private func writeBody(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
    var rest = bytes
    while rest.readableBytes > Self.sliceSize, let slice = rest.readSlice(length: Self.sliceSize) {
      write(.body(slice), bytes: slice.readableBytes, nil, context)
    }
    write(.body(rest), bytes: rest.readableBytes, promise, context)
  }

  /// Writes a part, and notes when the client has taken it.
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
    // A next answer gives no new time to a client that has not taken the one before.
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
    // The timer goes on where parts of a next answer wait already.
    guard phase == .open, untaken == 0, !isAnswering else { return }
    writeTimer?.cancel()
    if unanswered == 0, !isReceiving { startReadTimer(times.idle, context) }
  }

  /// Answers in place of the application. Where that has the request's head, its body ends with the error, so that it
  /// logs and counts it as its own; otherwise `refused` does.
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
      // A client that was about to send something is told; an idle connection is closed without a word.
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

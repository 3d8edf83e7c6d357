import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Holds a connection to its deadlines, and ends it well where a request is answered before it has arrived.
///
/// Each deadline is for the whole of something, not for the pause between two bytes, so that a client that sends or
/// takes a byte a second costs a connection for a known time and no longer. After an early answer (a body over the
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
    var idle: TimeAmount
    /// For which a client may still send after an early answer.
    var linger = TimeAmount.seconds(1)
  }

  /// Bytes thrown away after an early answer before the connection is closed at once.
  private static let lingerLimit = 32 * 1024 * 1024

  private enum Phase {
    case open
    case lingering
    case closed
  }

  private let times: Times
  private var phase = Phase.open
  private var unanswered = 0
  private var isReceiving = false
  private var isAnswering = false
  private var closesAfterAnswer = false
  private var discarded = 0
  private var readTimer: Scheduled<Void>?
  private var writeTimer: Scheduled<Void>?
  private var hangUpPromise: EventLoopPromise<Void>?

  init(times: Times) { self.times = times }

  /// Completes when the client has closed its side of the connection.
  var hangUp: EventLoopFuture<Void> {
    get throws {
      guard let hangUpPromise else { throw ChannelError.ioOnClosedChannel }
      return hangUpPromise.futureResult
    }
  }

  func handlerAdded(context: ChannelHandlerContext) {
    hangUpPromise = context.eventLoop.makePromise()
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
    if let event = event as? ChannelEvent, event == .inputClosed { hangUpPromise?.succeed() }
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
    case .head:
      unanswered += 1
      isReceiving = true
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
    guard let error = error as? HTTPParserError, error != .invalidEOFState, phase == .open, !isAnswering,
      unanswered == 0 || (unanswered == 1 && isReceiving)
    else { return context.fireErrorCaught(error) }
    let tooLarge = error == .headerOverflow
    answer(
      tooLarge
        ? APIError(
          .headersTooLarge, "The headers of the request are too large. Send fewer.")
        : .badRequest("The request is no HTTP that can be understood."), context)
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
      if closesAfterAnswer { head.headerFields[.connection] = "close" }
      writeTimer?.cancel()
      writeTimer = schedule(times.write, context) { _, context in context.close(promise: nil) }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body: context.write(data, promise: promise)
    case .end: writeEnd(data, promise, context)
    }
  }

  private func writeEnd(_ data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
    isAnswering = false
    unanswered -= 1
    let written = promise ?? context.eventLoop.makePromise()
    let timer = writeTimer
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    written.futureResult.whenComplete { _ in
      timer?.cancel()
      let (handler, context) = bound.value
      if handler.phase == .lingering { handler.linger(context) }
    }
    if closesAfterAnswer {
      phase = .lingering
      context.writeAndFlush(data, promise: written)
    } else {
      context.write(data, promise: written)
      if unanswered == 0, !isReceiving { startReadTimer(times.idle, context) }
    }
  }

  /// Answers in place of the application, which is then told that the connection is gone.
  private func answer(_ error: APIError, _ context: ChannelHandlerContext) {
    let body = (try? WireFormat.encode(ErrorBody(error))) ?? Data()
    var head = HTTPResponse(status: error.status)
    head.headerFields[.contentType] = "application/json"
    head.headerFields[.contentLength] = String(body.count)
    head.headerFields[.connection] = "close"
    phase = .lingering
    readTimer?.cancel()
    writeTimer = schedule(times.write, context) { _, context in context.close(promise: nil) }
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil)
    let written = context.eventLoop.makePromise(of: Void.self)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    written.futureResult.whenComplete { _ in bound.value.0.linger(bound.value.1) }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
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
    hangUpPromise?.succeed()
  }
}

@available(*, unavailable)
extension ConnectionDeadlines: Sendable {}

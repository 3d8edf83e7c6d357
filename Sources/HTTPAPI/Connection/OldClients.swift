import NIOCore
import NIOHTTP1

/// Speaks HTTP/1.0 with clients that do: their answers come whole, without pieces, and with their end the connection ends.
///
/// The types of the handlers behind know no version, so this one stands before them; to them such a request says
/// `Connection: close`.
final class OldClients: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private var isOld = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data),
      head.version.major < 1 || (head.version.major == 1 && head.version.minor < 1)
    else {
      return context.fireChannelRead(data)
    }
    isOld = true
    head.headers.replaceOrAdd(name: "connection", value: "close")
    // Such a client knows no interim answers.
    head.headers.remove(name: "expect")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard isOld, case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
    // An interim answer, by which a half-closed client is found out, goes nowhere.
    guard head.status.code >= 200 else {
      promise?.succeed()
      return
    }
    head.version = .http1_0
    context.write(wrapOutboundOut(.head(head)), promise: promise)
  }
}

@available(*, unavailable)
extension OldClients: Sendable {}

import NIOCore
import NIOHTTP1

/// Supports HTTP/1.0 clients: their responses are not chunked, and the connection closes at the end of the response.
///
/// The types of the later handlers carry no HTTP version, so this handler comes before them and presents such a request
/// as `Connection: close`.
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
    // HTTP/1.0 has no interim responses.
    head.headers.remove(name: "expect")
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard isOld, case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
    // Drop interim responses, which are used to probe half-closed clients.
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

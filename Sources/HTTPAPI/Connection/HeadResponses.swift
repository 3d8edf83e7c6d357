import NIOCore
import NIOHTTP1

/// Leaves the end of a body out of answers to HEAD whose length is not known: the encoder, which knows no methods, would write
/// an empty chunk there, and the client would take it for the beginning of the next answer.
final class HeadResponses: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// Whether each request that is not answered yet is a HEAD.
  private var requests: CircularBuffer<Bool> = []
  private var leavesEndOut = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data) { requests.append(head.method == .HEAD) }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head) where head.status.code >= 200:
      let isHead = requests.popFirst() ?? false
      leavesEndOut = isHead && !head.headers.contains(name: "content-length")
      context.write(data, promise: promise)
    case .end where leavesEndOut:
      leavesEndOut = false
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))), promise: promise)
    default: context.write(data, promise: promise)
    }
  }
}

@available(*, unavailable)
extension HeadResponses: Sendable {}

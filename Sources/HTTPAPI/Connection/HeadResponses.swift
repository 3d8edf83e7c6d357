import NIOCore
import NIOHTTP1

/// Removes the end of the body from responses of unknown length to HEAD. The encoder does not know the method and would
/// write an empty chunk, which the client would parse as the start of the next response.
final class HeadResponses: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// Whether each unanswered request is a HEAD.
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

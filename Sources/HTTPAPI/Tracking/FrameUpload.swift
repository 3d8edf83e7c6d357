import Foundation
import Hummingbird
import MultipartParsing
import NIOConcurrencyHelpers
import NIOCore

/// Receives frames, in memory only.
struct FrameUpload: Sendable {
  /// The maximum size in bytes of everything besides the picture.
  private static let allowance = 64 * 1024

  let maxBytes: Int
  let places: FramePlaces

  /// Receives the frame of a request, and reserves its memory until the work with it is done.
  func withFrame<Value>(
    _ request: Request, _ context: APIContext, _ work: (FrameRequest) async throws -> Value
  ) async throws -> Value {
    var held = 0
    defer { places.giveBack(held) }
    return try await work(try await receive(request, context, held: &held))
  }

  private func receive(
    _ request: Request, _ context: APIContext, held: inout Int
  ) async throws -> FrameRequest {
    let contentType = request.headers[.contentType] ?? ""
    let mediaType = contentType.lowercased()
    if mediaType.hasPrefix("multipart/form-data") {
      guard let boundary = MultipartParser.boundary(ofContentType: contentType) else { throw APIError.missingBoundary }
      var form = FrameForm(boundary: boundary, maxBytes: maxBytes)
      try await receive(request, context, limit: maxBytes + Self.allowance, held: &held) { try form.append($0) }
      return try form.finish()
    }
    guard mediaType.hasPrefix("application/json") else { throw APIError.noFrame }
    var body = Data()
    try await receive(request, context, limit: maxBytes / 3 * 4 + Self.allowance, held: &held) {
      body.append(contentsOf: $0.readableBytesView)
    }
    let json = try APIContext.decoded(FrameJSON.self, from: body)
    return try FrameRequest(fields: json.fields, picture: json.picture(), maxBytes: maxBytes)
  }

  private func receive(
    _ request: Request, _ context: APIContext, limit: Int, held: inout Int, _ push: (ByteBuffer) throws -> Void
  ) async throws {
    let announced = request.headers[.contentLength].flatMap { Int($0) }
    if let announced, announced > limit { throw APIError.bodyTooLarge(limit: maxBytes) }
    try await context.sendContinue(for: request)
    for try await chunk in request.body {
      guard held + chunk.readableBytes <= limit else { throw APIError.bodyTooLarge(limit: maxBytes) }
      try places.reserve(chunk.readableBytes)
      held += chunk.readableBytes
      try push(chunk)
    }
    if let announced, held < announced { throw MultipartError.incomplete }
  }
}

/// The memory reserved for frames being received and tracked.
final class FramePlaces: Sendable {
  private let free: NIOLockedValueBox<Int>

  init(bytes: Int) { free = NIOLockedValueBox(bytes) }

  /// Reserves memory in bytes. Throws 503 if there is not enough.
  func reserve(_ bytes: Int) throws(APIError) {
    let isFree = free.withLockedValue { free in
      guard bytes <= free else { return false }
      free -= bytes
      return true
    }
    if !isFree { throw APIError.tooManyUploads }
  }

  func giveBack(_ bytes: Int) { free.withLockedValue { $0 += bytes } }
}

extension APIError {
  fileprivate static let noFrame = APIError(
    .unsupportedMediaType,
    "Send the frame as application/json with the picture in base64 in `image`, or as multipart/form-data with a part "
      + "`image`.")
}

import Foundation
import Hummingbird
import JobStore
import MultipartParsing
import NIOConcurrencyHelpers
import NIOCore
import Settings
import Support

/// The form received with a photo.
struct ReceivedForm: Sendable {
  /// The job's id, under which the photo is stored.
  var id: String
  /// The photo, not yet visible to others.
  var photo: any StagedBlob
  var checked: CheckedPhoto
  var photoBytes: Int
  /// A hash of the photo's bytes.
  var photoHash: String
  /// The client-sent file name; see `PhotoFileName`.
  var filename: String?
  var fields: [String: String]
}

/// Receives photos from the network to disk.
///
/// Writes whenever 64 KiB have arrived, and requests more bytes only afterwards, so a photo is never complete in
/// memory. A slow client that has sent less occupies neither a file nor a writer's place.
struct PhotoUpload: Sendable {
  /// The number of bytes collected before they are written.
  private static let writeSize = 64 * 1024
  /// The maximum size in bytes of a form field other than the picture.
  private static let fieldLimit = 1024
  /// The known fields besides the picture.
  private static let fields = (Intake.parameters + Intake.awaitedParameters + [Intake.callback]).map(\.name)
  /// The maximum size in bytes of boundaries, headers and fields besides the photo.
  private static let formAllowance = 64 * 1024

  let blobs: any BlobStore
  let limits: Settings.Upload
  let places: WriterPlaces

  /// Receives and checks the photo of a request, to be stored with its job. If it throws, nothing is left on disk.
  func receive(_ request: Request, context: APIContext, withDigest: Bool = false) async throws -> ReceivedForm {
    let contentType = request.headers[.contentType] ?? ""
    guard contentType.lowercased().hasPrefix("multipart/form-data") else { throw APIError.notMultipart }
    guard let boundary = MultipartParser.boundary(ofContentType: contentType) else { throw APIError.missingBoundary }
    let bodyLimit = limits.maxBytes + Self.formAllowance
    let announced = request.headers[.contentLength].flatMap { Int($0) }
    if let announced, announced > bodyLimit { throw APIError.bodyTooLarge(limit: limits.maxBytes) }
    try await context.sendContinue(for: request)

    var form = FormGatherer(parser: MultipartParser(boundary: boundary), maxPhotoBytes: limits.maxBytes)
    var received = 0
    var incoming: (any StagedBlob)?
    let id = UUID().uuidString.lowercased()
    do {
      for try await chunk in request.body {
        received += chunk.readableBytes
        guard received <= bodyLimit else { throw APIError.bodyTooLarge(limit: limits.maxBytes) }
        try form.append(chunk)
        if form.pending.readableBytes >= Self.writeSize {
          if incoming == nil {
            try places.reserve()
            incoming = try await beginHoldingPlace()
          }
          guard let incoming else { throw APIError.internalError }
          try await incoming.append(form.takePending())
        }
      }
      if let announced, received < announced { throw MultipartError.incomplete }
      try form.finish()
      if incoming == nil {
        try places.reserve()
        incoming = try await beginHoldingPlace()
      }
    } catch {
      if let incoming {
        await incoming.discard()
        places.giveBack()
      }
      throw error
    }
    guard let incoming else { throw APIError.internalError }
    defer { places.giveBack() }
    let checked: CheckedPhoto
    do {
      try await incoming.append(form.takePending())
      checked = try await incoming.inspect { [limits] path in
        try CheckedPhoto(path: path, limits, withDigest: withDigest)
      }
    } catch {
      await incoming.discard()
      throw error
    }
    return ReceivedForm(
      id: id, photo: incoming, checked: checked, photoBytes: form.photoBytes, photoHash: form.hash.finish(),
      filename: form.filename,
      fields: form.fields)
  }

  private func beginHoldingPlace() async throws -> any StagedBlob {
    do {
      let incoming = try await blobs.stage()
      FaultPoint.uploadBegun.reached()
      return incoming
    } catch {
      places.giveBack()
      throw error
    }
  }

  /// Collects the parts of a form.
  private struct FormGatherer {
    var parser: MultipartParser
    var maxPhotoBytes: Int
    /// Bytes of the photo that are not written yet.
    var pending = ByteBuffer()
    var photoBytes = 0
    /// The hash of the bytes that `takePending` has returned.
    let hash = ContentHash()
    var filename: String?
    var fields: [String: String] = [:]
    private var names: [String] = []
    private var field: [UInt8] = []
    private var sawImage = false
    /// Whether the current `image` part has an empty file name and no content so far.
    private var isImageUnnamed = false

    init(parser: MultipartParser, maxPhotoBytes: Int) {
      self.parser = parser
      self.maxPhotoBytes = maxPhotoBytes
    }

    mutating func append(_ chunk: ByteBuffer) throws {
      var parser = self.parser
      try chunk.withUnsafeReadableBytes { bytes in
        try parser.push(bytes) { try handle($0) }
      }
      self.parser = parser
    }

    mutating func finish() throws {
      try parser.finish()
      guard sawImage else {
        throw names.contains("image") ? APIError.emptyImage : APIError.missingImage(fieldNames: names)
      }
      guard photoBytes > 0 else { throw APIError.emptyImage }
      try APIError.rejectMisspelled(names, known: PhotoUpload.fields)
    }

    mutating func takePending() -> [UInt8] {
      defer { pending.clear() }
      let bytes = Array(pending.readableBytesView)
      hash.update(bytes)
      return bytes
    }

    private mutating func handle(_ event: MultipartParser.Event) throws {
      switch event {
      case .begin(let headers):
        names.append(headers.name ?? "")
        field.removeAll(keepingCapacity: true)
        guard names.last == "image" else { break }
        // A form's unused second file field sends a part without a name and content: ignore it.
        let isUnnamed = headers.fileName?.isEmpty ?? false
        guard !isUnnamed else { return isImageUnnamed = true }
        if sawImage { throw APIError.severalImages }
        (sawImage, isImageUnnamed) = (true, false)
        filename = headers.fileName.flatMap(PhotoFileName.sanitised)
      case .content(let bytes) where names.last == "image":
        if isImageUnnamed {
          if sawImage { throw APIError.severalImages }
          (sawImage, isImageUnnamed) = (true, false)
        }
        photoBytes += bytes.count
        guard photoBytes <= maxPhotoBytes else { throw APIError.bodyTooLarge(limit: maxPhotoBytes) }
        pending.writeBytes(bytes)
      case .content(let bytes):
        // Keeps only known fields; skips a picture under another name, so that the error can name it.
        guard let name = names.last, PhotoUpload.fields.contains(name) else { break }
        guard field.count + bytes.count <= PhotoUpload.fieldLimit else {
          throw APIError.invalidParameter(name, "is longer than \(PhotoUpload.fieldLimit) bytes")
        }
        field.append(contentsOf: bytes)
      case .end:
        guard let name = names.last, PhotoUpload.fields.contains(name) else { break }
        guard let text = String(validating: field, as: UTF8.self) else {
          throw APIError.invalidParameter(name, "must be UTF-8 text")
        }
        guard fields.updateValue(text, forKey: name) == nil else { throw APIError.repeatedParameter(name) }
      }
    }
  }
}

/// The places for uploads that write to disk.
final class WriterPlaces: Sendable {
  private let free: NIOLockedValueBox<Int>

  init(count: Int) { free = NIOLockedValueBox(count) }

  /// Takes a place. Throws if none is free.
  func reserve() throws {
    try free.withLockedValue { free in
      guard free > 0 else { throw APIError.tooManyUploads }
      free -= 1
    }
  }

  func giveBack() { free.withLockedValue { $0 += 1 } }
}

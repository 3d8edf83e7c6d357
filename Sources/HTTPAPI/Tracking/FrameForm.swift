import Foundation
import MultipartParsing
import NIOCore

/// Collects a form with a frame while it arrives.
struct FrameForm {
  /// The maximum size in bytes of a part other than the picture.
  private static let fieldLimit = 16 * 1024

  private var parser: MultipartParser
  private let maxBytes: Int
  private var names: [String] = []
  private var picture: [UInt8]?
  /// Whether the current `image` part is a further one.
  private var isSecond = false
  private var fields: [String: [UInt8]] = [:]

  init(boundary: String, maxBytes: Int) {
    parser = MultipartParser(boundary: boundary)
    self.maxBytes = maxBytes
  }

  /// Parses the next piece of the body.
  mutating func append(_ chunk: ByteBuffer) throws {
    var parser = self.parser
    try chunk.withUnsafeReadableBytes { bytes in
      try parser.push(bytes) { try handle($0) }
    }
    self.parser = parser
  }

  private mutating func handle(_ event: MultipartParser.Event) throws {
    switch event {
    case .begin(let headers):
      let name = headers.name ?? ""
      names.append(name)
      if name == "image" {
        // Ignore an empty part with an empty file name; `content` detects whether such a part is not empty.
        if headers.fileName?.isEmpty ?? false, picture != nil { return isSecond = true }
        if let picture, !picture.isEmpty { throw APIError.severalImages }
        (picture, isSecond) = ([], false)
      } else if FrameRequest.Fields.CodingKeys(rawValue: name) != nil {
        guard fields.updateValue([], forKey: name) == nil else { throw APIError.repeatedParameter(name) }
      }
    case .content(let bytes) where names.last == "image":
      if isSecond { throw APIError.severalImages }
      guard (picture?.count ?? 0) + bytes.count <= maxBytes else { throw APIError.bodyTooLarge(limit: maxBytes) }
      picture?.append(contentsOf: bytes)
    case .content(let bytes):
      // Keeps only known fields; skips a picture under another name, so that the error can name it.
      guard let name = names.last, let kept = fields[name] else { break }
      guard kept.count + bytes.count <= Self.fieldLimit else {
        throw APIError.invalidParameter(name, "is longer than \(Self.fieldLimit) bytes")
      }
      fields[name]?.append(contentsOf: bytes)
    case .end: break
    }
  }

  /// Returns the complete form.
  mutating func finish() throws -> FrameRequest {
    try parser.finish()
    guard let picture else { throw APIError(.unsupportedImage, APIError.missingImage(fieldNames: names).detail) }
    try APIError.rejectMisspelled(names, known: FrameRequest.Fields.names)
    guard let session = try text(of: .sessionID) else {
      throw APIError(.invalidJSON, "`session_id` is missing.")
    }
    return try FrameRequest(
      fields: FrameRequest.Fields(
        sessionID: session, boundingBoxes: value(of: .boundingBoxes), points: value(of: .points),
        objectIDs: value(of: .objectIDs), includeMasks: flag(.includeMasks), readSerials: flag(.readSerials),
        persist: flag(.persist),
        batch: text(of: .batch)),
      picture: picture, maxBytes: maxBytes)
  }

  /// Returns a part's text; nil if the part is missing.
  private func text(of key: FrameRequest.Fields.CodingKeys) throws -> String? {
    guard let content = fields[key.rawValue] else { return nil }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw APIError(.invalidJSON, "`\(key.rawValue)` is not text.")
    }
    return text
  }

  /// Parses a part that is true or false as in every form and query; nil if the part is missing, or null as in JSON.
  private func flag(_ key: FrameRequest.Fields.CodingKeys) throws -> Bool? {
    guard let text = try text(of: key)?.trimmed, text != "null" else { return nil }
    return try Parameter.flag(key.rawValue, "").value(of: text)
  }

  /// Decodes a part's JSON; nil if the part is missing.
  private func value<Value: Decodable>(of key: FrameRequest.Fields.CodingKeys) throws -> Value? {
    guard let content = fields[key.rawValue] else { return nil }
    do {
      return try JSONDecoder().decode(Value?.self, from: Data(content))
    } catch let error as DecodingError {
      throw APIError(error, in: key.rawValue)
    }
  }
}

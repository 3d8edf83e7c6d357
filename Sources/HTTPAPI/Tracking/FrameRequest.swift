import Foundation
import TrackingSessions

/// A request with a frame, sent as JSON or as a form.
struct FrameRequest: Sendable {
  /// The fields besides the picture; which are required depends on the endpoint.
  struct Fields: Decodable, Sendable {
    var sessionID: String
    var boundingBoxes: [[Double]]?
    var points: [[Double]]?
    var objectIDs: [Int]?
    var includeMasks: Bool?
    var readSerials: Bool?
    var persist: Bool?
    var batch: String?

    /// The names of the fields, also of a form's parts.
    enum CodingKeys: String, CodingKey, CaseIterable {
      case sessionID = "session_id"
      case boundingBoxes = "bounding_boxes"
      case points
      case objectIDs = "object_ids"
      case includeMasks = "include_masks"
      case readSerials = "read_serials"
      case persist
      case batch
    }

    static let names = CodingKeys.allCases.map(\.rawValue)
  }

  /// The maximum length of a session id in bytes.
  fileprivate static let longestSessionID = 200

  /// The fields besides the picture.
  let fields: Fields
  /// The frame's file.
  let picture: [UInt8]

  /// Creates a request. Throws 413 if the picture is too large, and 422 if it is missing or the session id is invalid.
  init(fields: Fields, picture: [UInt8], maxBytes: Int) throws(APIError) {
    guard (1...Self.longestSessionID).contains(fields.sessionID.utf8.count) else {
      throw APIError.invalidParameter("session_id", "must be 1 to \(Self.longestSessionID) bytes of text")
    }
    try ClientText.check(fields.sessionID, named: "session_id", limit: Self.longestSessionID)
    guard !picture.isEmpty else { throw APIError(.unsupportedImage, APIError.emptyImage.detail) }
    guard picture.count <= maxBytes else { throw APIError.bodyTooLarge(limit: maxBytes) }
    self.fields = fields
    self.picture = picture
  }
}

extension FrameRequest.Fields: WireObject {
  static let wireName = "Frame"
  static let wireNotes: [String: Schema] = [
    "session_id": .length(1...FrameRequest.longestSessionID),
    "bounding_boxes": places(of: 4).about("As [x0, y0, x1, y1], in pixels of the frame as sent."),
    "points": places(of: 2).about("As [x, y]; each becomes an object whose box the server proposes."),
    "object_ids": .mostItems(TrackingSessions.objectLimit).about("Default: 1, 2, ..."),
    "read_serials": .about("Read each object's serial and vote on it over the frames."),
    "persist": Schema(["default": false]).about("Save each accepted serial once, with `live` as its source."),
    "batch": .about("With `persist`: the id of the open batch in which serials are saved."),
  ]

  private static func places(of count: Int) -> Schema {
    Schema(["items": ["minItems": .integer(count), "maxItems": .integer(count)]]).with(
      .mostItems(TrackingSessions.objectLimit))
  }

  /// Returns a schema with some of the fields and the picture.
  fileprivate static func schema(
    _ name: String, for type: Any.Type, in book: SchemaBook, without left: Set<String> = []
  ) -> Schema {
    book.object(
      name, for: type,
      notes: wireNotes.filter { !left.contains($0.key) }.merging([
        "image": Schema(["minLength": 1]).about("The frame's file: base64 in JSON, the bytes in a form.")
      ]) { $1 }
    ) { book.members(of: Self.self).filter { !left.contains($0.name) } + [book.member("image", String.self)] }
  }
}

extension FrameRequest {
  /// The body of `/initialize`.
  enum First: WireType {
    static func schema(in book: SchemaBook) -> Schema { Fields.schema("FirstFrame", for: Self.self, in: book) }
  }

  /// The body of `/track`.
  enum Next: WireType {
    static func schema(in book: SchemaBook) -> Schema {
      Fields.schema(
        "NextFrame", for: Self.self, in: book,
        without: ["bounding_boxes", "points", "object_ids", "read_serials", "persist", "batch"])
    }
  }
}

/// A frame as JSON, with its file as base64 in `image`.
struct FrameJSON: Decodable, HasOptionalFields {
  static let fieldNames = FrameRequest.Fields.names + ["image"]

  let fields: FrameRequest.Fields
  let image: String?

  private enum CodingKeys: String, CodingKey {
    case image
  }

  init(from decoder: any Decoder) throws {
    fields = try FrameRequest.Fields(from: decoder)
    image = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .image)
  }

  /// Decodes the frame's file.
  func picture() throws(APIError) -> [UInt8] {
    guard let image else { throw APIError(.unsupportedImage, "`image` is missing: the frame's file in base64.") }
    guard let data = Data(base64Encoded: Self.digits(of: image.utf8)) else {
      throw APIError(.unsupportedImage, "`image` is neither base64 nor base64url.")
    }
    return Array(data)
  }

  /// The maximum length of the prefix of a `data:` URL.
  private static let longestPrefix = 200

  /// Returns the base64 digits in the usual alphabet (RFC 4648, 4) with padding. Skips the prefix
  /// `data:image/jpeg;base64,`, which browsers write, and line ends. Also accepts the URL-safe alphabet (RFC 4648, 5).
  private static func digits(of written: String.UTF8View) -> Data {
    var bytes = written[...]
    if bytes.starts(with: "data:".utf8), let comma = bytes.prefix(longestPrefix).firstIndex(of: UInt8(ascii: ",")) {
      bytes = bytes[comma...].dropFirst()
    }
    var digits: [UInt8] = []
    digits.reserveCapacity(bytes.count + 3)
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "-"): digits.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): digits.append(UInt8(ascii: "/"))
      case 0x20, 0x09...0x0D: continue
      default: digits.append(byte)
      }
    }
    // base64url is often written without padding.
    while digits.count & 3 != 0, digits.count & 3 != 1 { digits.append(UInt8(ascii: "=")) }
    return Data(digits)
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A rectangle in a photo, in fractions (0...1) of its upright width and height, from the top left corner.
public struct PhotoPart: Sendable, Equatable {
  /// The left, top, right and bottom edges.
  public let left, top, right, bottom: Double

  /// Creates a rectangle; nil unless 0 <= left < right <= 1 and 0 <= top < bottom <= 1.
  public init?(left: Double, top: Double, right: Double, bottom: Double) {
    guard 0 <= left, left < right, right <= 1, 0 <= top, top < bottom, bottom <= 1 else { return nil }
    (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
  }
}

extension PhotoPart: LosslessStringConvertible {
  /// Parses `x0,y0,x1,y1`; nil if invalid.
  public init?(_ text: String) {
    let fields = text.utf8.split(separator: UInt8(ascii: ","), maxSplits: 4, omittingEmptySubsequences: false)
    let numbers = fields.compactMap(Self.share)
    guard fields.count == 4, numbers.count == 4 else { return nil }
    self.init(left: numbers[0], top: numbers[1], right: numbers[2], bottom: numbers[3])
  }

  /// The text form, `x0,y0,x1,y1`.
  public var description: String { "\(left),\(top),\(right),\(bottom)" }

  /// Parses a decimal number, ignoring spaces; nil for `nan`, `inf` and hexadecimal notation, which `Double` accepts.
  private static func share(_ field: Substring.UTF8View) -> Double? {
    let text = Substring(field).filter { $0 != " " }
    let allowed = Set("0123456789.eE-+")
    guard (1...32).contains(text.utf8.count), text.allSatisfy(allowed.contains) else { return nil }
    return Double(text)
  }
}

extension PhotoPart: Codable {
  /// Decodes the text form. Throws `DecodingError` if invalid.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let part = PhotoPart(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a part of a photo")
    }
    self = part
  }

  /// Encodes the text form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

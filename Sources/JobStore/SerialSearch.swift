import AppleSerial
import Foundation

/// A search among saved serials, the same in every store.
package enum SerialSearch: Sendable, Equatable {
  /// The beginning of the serial, in upper case. Substring indexes need at least three characters.
  case beginning(String)
  /// Substrings of `text(serial:deviceType:filename:)`, folded like it, of which at least one must match: the text
  /// typed, and, if it may be part of a serial, the same without spaces, hyphens and dots.
  case parts([String])

  /// Minimum number of characters that the substring indexes support.
  private static let shortest = 3

  /// Folds a text for sorting, comparing and searching, the same in every store.
  ///
  /// Composes accents and maps each character to its lower case. A character stays unchanged if its lower case has
  /// several characters (`İ`) or would be an ASCII letter (`ı`).
  package static func folded(_ text: String) -> String {
    String(String.UnicodeScalarView(text.precomposedStringWithCanonicalMapping.unicodeScalars.map(folded)))
  }

  /// The folded text that searches match: the serial, the device type and the file name, one per line.
  package static func text(serial: String, deviceType: String?, filename: String?) -> String {
    folded("\(serial)\n\(deviceType ?? "")\n\(filename ?? "")")
  }

  private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    let small = single(scalar.properties.lowercaseMapping) ?? scalar
    guard !scalar.isASCII else { return small }
    // Via the upper case, because `ς` and `σ` share it.
    let folded = single(small.properties.uppercaseMapping).flatMap { single($0.properties.lowercaseMapping) } ?? small
    return folded.isASCII ? scalar : folded
  }

  private static func single(_ text: String) -> Unicode.Scalar? {
    text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
  }

  /// Parses a search; nil if it is empty.
  package init?(_ text: String?) {
    guard let text = text?.trimmingCharacters(in: .whitespaces), !text.isEmpty else { return nil }
    let serial = WrittenSerial.part(text)
    guard text.unicodeScalars.count >= Self.shortest else {
      // Only ASCII letters: serials have no others, and `ß` would become two letters in upper case.
      self = .beginning(serial ?? text.uppercasedASCII)
      return
    }
    let parts = [text] + [serial].compactMap(\.self).filter { $0.utf8.count >= Self.shortest }
    self = .parts(parts.map(Self.folded).reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
  }
}

extension String {
  /// The text with the letters `a` to `z` in upper case; other characters are unchanged.
  fileprivate var uppercasedASCII: String {
    String(String.UnicodeScalarView(unicodeScalars.map { ("a"..."z").contains($0) ? $0.uppercased : $0 }))
  }
}

extension Unicode.Scalar {
  /// The upper case of one of `a` to `z`.
  fileprivate var uppercased: Unicode.Scalar { properties.uppercaseMapping.unicodeScalars.first ?? self }
}

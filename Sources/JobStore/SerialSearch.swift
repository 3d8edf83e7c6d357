import AppleSerial
import Foundation

/// What a search among saved serials looks for, the same in every store.
package enum SerialSearch: Sendable, Equatable {
  /// The beginning of the serial, in upper case: indexes of parts know nothing shorter than three characters.
  case beginning(String)
  /// Parts of `text(serial:deviceType:filename:)`, folded like it, of which one has to be there: what was typed, and the same
  /// without groups, hyphens and dots where it may be a part of a serial.
  case parts([String])

  /// Characters of the shortest part that the indexes know.
  private static let shortest = 3

  /// A text in the one case in which texts are ordered, compared and searched in every store: accents composed, and each
  /// character by its lower case. One whose lower case is several characters (`İ`), or that would become an ASCII letter
  /// (`ı`), stays as it is.
  package static func folded(_ text: String) -> String {
    String(String.UnicodeScalarView(text.precomposedStringWithCanonicalMapping.unicodeScalars.map(folded)))
  }

  /// What searches look through: the serial, the device type and the file name in one case, a line each.
  package static func text(serial: String, deviceType: String?, filename: String?) -> String {
    folded("\(serial)\n\(deviceType ?? "")\n\(filename ?? "")")
  }

  private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    let small = single(scalar.properties.lowercaseMapping) ?? scalar
    guard !scalar.isASCII else { return small }
    // By way of the capital: `ς` and `σ` have the same.
    let folded = single(small.properties.uppercaseMapping).flatMap { single($0.properties.lowercaseMapping) } ?? small
    return folded.isASCII ? scalar : folded
  }

  private static func single(_ text: String) -> Unicode.Scalar? {
    text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
  }

  /// Takes a search; nil if it is empty.
  package init?(_ text: String?) {
    guard let text = text?.trimmingCharacters(in: .whitespaces), !text.isEmpty else { return nil }
    let serial = WrittenSerial.part(text)
    guard text.unicodeScalars.count >= Self.shortest else {
      // Of ASCII alone: serials have no other letters, and `ß` in upper case would be two.
      self = .beginning(serial ?? text.uppercasedASCII)
      return
    }
    let parts = [text] + [serial].compactMap(\.self).filter { $0.utf8.count >= Self.shortest }
    self = .parts(parts.map(Self.folded).reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
  }
}

extension String {
  /// With the letters `a` to `z` in upper case, and everything else as it is.
  fileprivate var uppercasedASCII: String {
    String(String.UnicodeScalarView(unicodeScalars.map { ("a"..."z").contains($0) ? $0.uppercased : $0 }))
  }
}

extension Unicode.Scalar {
  /// Of `a` to `z`, in upper case.
  fileprivate var uppercased: Unicode.Scalar { properties.uppercaseMapping.unicodeScalars.first ?? self }
}

import AppleSerial
import Foundation

/// What a search among saved serials looks for, the same in every store.
package enum SerialSearch: Sendable, Equatable {
  /// The beginning of the serial, in upper case: indexes of parts know nothing shorter than three characters.
  case beginning(String)
  /// A part of the serial, the device type or the file name, whatever its case; or of the serial alone what the part is
  /// without groups, hyphens and dots, where that differs.
  case part(String, serial: String?)

  /// Characters of the shortest part that the indexes know.
  private static let shortest = 3

  /// The text with the letters `A` to `Z` in lower case: device types are compared so.
  package static func folded(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.isASCII ? $0.properties.lowercaseMapping.unicodeScalars.first ?? $0 : $0 }))
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
    // Names are kept with their accents composed.
    self = .part(
      text.precomposedStringWithCanonicalMapping,
      serial: serial.flatMap { $0.utf8.count >= Self.shortest && $0 != text.uppercasedASCII ? $0 : nil })
  }

  /// The character with those that differ from it in case alone, in both directions and one for one (Unicode, simple
  /// case folding): `İ`, whose small form is two characters, stands alone.
  package static func cases(of scalar: Unicode.Scalar) -> Set<Unicode.Scalar> {
    var cases: Set = [scalar]
    for _ in 0..<2 {
      for known in cases {
        cases.formUnion([known.properties.lowercaseMapping, known.properties.uppercaseMapping].compactMap(single))
        if let other = otherForms[known] { cases.insert(other) }
      }
    }
    return cases
  }

  /// Forms to which no mapping of the other leads.
  private static let otherForms: [Unicode.Scalar: Unicode.Scalar] = ["ß": "ẞ", "σ": "ς", "ς": "σ"]

  private static func single(_ text: String) -> Unicode.Scalar? {
    text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
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

import Foundation
import Support

/// The display form of a photo's client-sent file name. Never used as a path.
package enum PhotoFileName {
  /// The maximum number of characters.
  private static let limit = 200

  /// Returns the last part of a path, without invisible characters and those that change the writing direction; nil if
  /// nothing is left.
  package static func sanitised(_ given: String) -> String? {
    // Browsers escape these three characters this way (WHATWG, "multipart/form-data encoding algorithm").
    let decoded = given.replacing("%22", with: "\"").replacing("%0D", with: "").replacing("%0A", with: "")
    let separators = [UInt8(ascii: "/"), UInt8(ascii: "\\")]
    let last = decoded.utf8.split(whereSeparator: separators.contains).last.map { Substring($0) } ?? ""
    let shown = last.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
    // Compose accents, which macOS writes separately from their letters. Truncate first, because composing takes time
    // proportional to the length.
    let name = String(String.UnicodeScalarView(shown)).shown(most: 2 * limit).precomposedStringWithCanonicalMapping
      .trimmed
    guard !name.isEmpty, name != ".", name != ".." else { return nil }
    return name.shown(most: limit)
  }
}

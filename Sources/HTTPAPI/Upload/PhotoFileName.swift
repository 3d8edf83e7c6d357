import Foundation

/// A photo's file name as its client gave it, made fit to be shown: never a path, never used as one.
package enum PhotoFileName {
  /// Characters that are kept.
  private static let limit = 200

  /// The last part of a path, without characters that have no picture or turn the direction of writing; nil where nothing
  /// is left.
  package static func sanitised(_ given: String) -> String? {
    // Browsers write these three characters so (WHATWG, "multipart/form-data encoding algorithm").
    let decoded = given.replacing("%22", with: "\"").replacing("%0D", with: "").replacing("%0A", with: "")
    let separators = [UInt8(ascii: "/"), UInt8(ascii: "\\")]
    let last = decoded.utf8.split(whereSeparator: separators.contains).last.map { Substring($0) } ?? ""
    let shown = last.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
    // Accents apart from their letters, as macOS writes names, are the same name. Cut first: to compose takes as long as
    // the text.
    let name = String(String.UnicodeScalarView(shown)).shown(most: 2 * limit).precomposedStringWithCanonicalMapping
      .trimmed
    guard !name.isEmpty, name != ".", name != ".." else { return nil }
    return name.shown(most: limit)
  }
}

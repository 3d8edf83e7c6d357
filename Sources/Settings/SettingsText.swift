/// Rejects YAML constructs that no settings file needs.
///
/// Nested anchors and aliases let a file of a few lines expand to more than any memory holds (the "billion laughs"
/// attack). No setting needs them, so they are rejected before the parser runs.
package struct SettingsText {
  /// The maximum size of a file in bytes; the built-in file is a tenth of it.
  package static let mostBytes = 256 << 10
  /// The maximum depth of nested keys.
  static let mostDepth = 8

  /// The characters examined, as a measure of work.
  package private(set) var steps = 0

  /// Creates a check.
  package init() {}

  /// Returns the first problem in a file's text with its line; nil if there is none.
  package mutating func problem(in text: String) -> (line: Int, sentence: String)? {
    guard text.utf8.count <= Self.mostBytes else {
      return (1, "a settings file has at most \(Self.mostBytes >> 10) KB")
    }
    var line = 1
    var quote: Unicode.Scalar?
    var isEscaped = false
    var hasJustClosed = false
    var isComment = false
    var before: Unicode.Scalar = "\n"
    for scalar in text.unicodeScalars {
      steps += 1
      let beginsToken = " \t\n\r[{,".unicodeScalars.contains(before)
      if scalar == "\n" { (line, isComment) = (line + 1, false) }
      if isComment {
      } else if let open = quote {
        if scalar == open, !isEscaped { quote = nil }
        isEscaped = open == "\"" && scalar == "\\" && !isEscaped
      } else if scalar == "'", before == "'", hasJustClosed {
        // Within quoted text, two quotes stand for one.
        quote = scalar
      } else if beginsToken, scalar == "#" {
        isComment = true
      } else if beginsToken, scalar == "\"" || scalar == "'" {
        quote = scalar
      } else if " \t\n\r[{,-?:".unicodeScalars.contains(before), scalar == "&" || scalar == "*" {
        return (line, "anchors and aliases (& and *) are not supported; put quotes around text that starts with them")
      }
      hasJustClosed = quote == nil && scalar == "'"
      before = scalar
    }
    return nil
  }
}

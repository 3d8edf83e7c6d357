/// What a settings file may hold beyond YAML's own rules: little, and nothing that stands for something else.
///
/// A file of a few lines can name another part of itself again and again, and each of those the same, until it stands for
/// more than any memory holds (a "billion laughs"). No setting needs that, so anchors and aliases are refused before the
/// parser sees them.
package struct SettingsText {
  /// Bytes of the largest file; the built-in one is a tenth.
  package static let mostBytes = 256 << 10
  /// Keys within keys.
  static let mostDepth = 8

  /// The characters that were looked at, as the measure of the work.
  package private(set) var steps = 0

  /// Creates a check.
  package init() {}

  /// What is wrong with a file's text, with its line; nil where nothing is.
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
        // Two of them are one within the text.
        quote = scalar
      } else if beginsToken, scalar == "#" {
        isComment = true
      } else if beginsToken, scalar == "\"" || scalar == "'" {
        quote = scalar
      } else if " \t\n\r[{,-?:".unicodeScalars.contains(before), scalar == "&" || scalar == "*" {
        return (line, "anchors and aliases (& and *) are not taken; put quotes around a text that begins so")
      }
      hasJustClosed = quote == nil && scalar == "'"
      before = scalar
    }
    return nil
  }
}

/// How large the table in a delimited text is, counted before a parser sees it.
///
/// The library makes all rows as long as the longest: a file of one long row and many short ones would take the product of
/// both.
package struct TableSize {
  /// The rows, or more than there are.
  package private(set) var rows = 1
  /// The fields of the row that has most, or more than there are.
  package private(set) var longestRow = 1
  /// The bytes that were looked at, as the measure of the work.
  package private(set) var steps = 0

  /// Counts a text's rows and fields; `delimiter` stands between two fields.
  package init(of text: String, delimiter: Character) {
    let sign = delimiter.asciiValue
    var (fields, isQuoted) = (1, false)
    for byte in text.utf8 {
      steps += 1
      switch byte {
      case UInt8(ascii: "\""): isQuoted.toggle()
      case sign where !isQuoted: fields += 1
      case UInt8(ascii: "\n") where !isQuoted, UInt8(ascii: "\r") where !isQuoted:
        rows += 1
        fields = 1
      default: break
      }
      longestRow = max(longestRow, fields)
    }
  }
}

import Support

/// What a spreadsheet program made of a text that it took for a number, a date or a formula.
package struct SpreadsheetChange: Equatable {
  /// What the text became.
  package enum Kind: String {
    case number
    case date
    case error
  }

  /// The text as the spreadsheet saved it.
  package let text: String
  package let kind: Kind
  /// Whether nobody writes this: a number with an exponent. A date or `12.0` may be meant.
  package let isCertain: Bool

  /// Recognizes a changed text; nil for others. Lost leading zeros leave no trace.
  package init?(_ text: String) {
    guard text.utf8.count <= 32, text.utf8.contains(where: Self.signs.contains) else { return nil }
    // An import has thousands of cells, and most letters rule out all patterns, which take a hundred times as long.
    let letters = String(String.UnicodeScalarView(text.lowercased().unicodeScalars.filter(\.properties.isAlphabetic)))
    isCertain = letters == "e" && text.wholeMatch(of: Self.exponent) != nil
    if isCertain || (letters.isEmpty && text.wholeMatch(of: Self.decimal) != nil) {
      kind = .number
    } else if letters.isEmpty || Self.months.contains(letters), text.wholeMatch(of: Self.date) != nil {
      kind = .date
    } else if text.hasPrefix("#"), text.wholeMatch(of: Self.error) != nil {
      kind = .error
    } else {
      return nil
    }
    self.text = text
  }

  /// What happened and what to do, as a sentence that begins in lower case.
  package var sentence: String {
    "a spreadsheet changed it into the \(kind.rawValue) `\(text)`. Format the column as text, then enter the original again."
  }

  private static let signs = Set("+-.,/#".utf8)

  // Patterns are compiled once; the compiled form is stored atomically, so threads may share them.
  nonisolated(unsafe) private static let exponent = #/[0-9]+[.,][0-9]+E[+-]?[0-9]+|[0-9]+E[+-][0-9]+/#.ignoresCase()
  nonisolated(unsafe) private static let decimal = #/[0-9]+[.,]00?/#
  nonisolated(unsafe) private static let date =
    #/([0-9]{1,2}[. -]+)?[A-Z]+[. -]+([0-9]{2}|(19|20)[0-9]{2})|[0-9]{1,2}[.\/-][0-9]{1,2}[.\/-]([0-9]{4}|[0-9]{2})|[0-9]{1,2}[. -]+[A-Z]+|[0-9]{4}-[0-9]{2}-[0-9]{2}( 00:00(:00)?)?/#
    .ignoresCase()
  nonisolated(unsafe) private static let error = #/#[A-Z\/0]+[!?]?|##+/#

  /// The months as spreadsheets abbreviate them in English, German and Spanish.
  private static let months: Set = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "mrz", "mai", "okt",
    "dez", "ene", "abr", "ago", "dic",
  ]
}

extension DelimitedText {
  /// Returns the value that a person or a program entered as a cell: `value(ofCell:)` without blanks and invisible
  /// characters around it.
  package static func value(enteredAs cell: String) -> String { value(ofCell: visible(cell)) }

  /// Returns the serial or code that was entered as a cell: also without the apostrophe by which spreadsheets keep digits
  /// as text.
  package static func code(enteredAs cell: String) -> String {
    let value = value(enteredAs: cell)
    return value.hasPrefix("'") || value.hasPrefix("\u{2019}") ? visible(String(value.dropFirst())) : value
  }

  /// Returns a text without blanks, line ends and invisible characters (such as zero-width spaces) around it.
  private static func visible(_ text: String) -> String {
    func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
    }
    let rest = text.unicodeScalars.drop(while: isInvisible)
    return String(String.UnicodeScalarView(rest.reversed().drop(while: isInvisible).reversed()))
  }
}

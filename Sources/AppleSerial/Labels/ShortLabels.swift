// Abbreviations of a serial's label, which must be whole words.

extension LabelKeywords {
  /// What stands between words and behind a label.
  private static let marks: Set<Character> = [" ", ".", ":", ";", "-", "#", "%"]

  /// Rates `S/N`, `SN:`, `SL#`, `(S)`, `Ser.-Nr.` and their usual misreads at the end of the text, as whole words.
  static func shortLabelStrength(before value: some StringProtocol) -> Double {
    let end = value.suffix(16)
    let words = end.uppercased().replacing("$", with: "S").replacing("5", with: "S").split { marks.contains($0) }
    // `51` and `(5)` are numbers, whatever their digits look like.
    guard let last = end.split(whereSeparator: marks.contains).last, last.contains(where: \.isLetter) else {
      return 0
    }
    switch words.last {
    case "S/N", "S/IN", "S/H", "(S)", "S/NO", "N/S": return Strengths.short
    case "SL":
      // Other words end in it, or in what looks like it.
      let whole = value.filter { $0 != " " }
      return String(whole) == "SL" || whole.last.map { ".:#".contains($0) } ?? false ? Strengths.short : 0
    case "SIN", "SI", "S1", "S|N", "S1N", "SLN":
      if value.hasSuffix(":") || value.hasSuffix("#") { return Strengths.short }
      // `Si` begins a word, and `EDGE-SI` ends in another one.
      return last.contains(where: \.isLowercase) || end[..<last.startIndex].hasSuffix("-") ? 0 : Strengths.least
    case "SER": return [".", ":", "#"].contains { value.hasSuffix($0) } ? Strengths.short : 0
    default:
      let isMarked = value.suffix(8).contains { ".:#-".contains($0) }
      return (1...3).map { abbreviationStrength(words.suffix($0).joined(), isMarked: isMarked) }.max() ?? 0
    }
  }

  /// Rates words joined together as an abbreviation of a serial's label: 2 if exact. With errors it needs a mark, since
  /// `Serum` and `Servo` are words.
  private static func abbreviationStrength(_ word: String, isMarked: Bool) -> Double {
    if abbreviations.contains(word) { return Strengths.short }
    let scalars = Array(word.unicodeScalars)
    guard isMarked, word.hasPrefix("SE"), scalars.count >= 4 else { return 0 }
    return abbreviations.contains { editDistance(scalars[...], Array($0.unicodeScalars)[...], limit: 1) <= 1 }
      ? Strengths.least : 0
  }
}

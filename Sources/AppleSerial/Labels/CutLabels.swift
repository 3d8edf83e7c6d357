// Labels whose beginning lies outside the image, or is covered.

extension LabelKeywords {
  /// The strengths of a text as the end of labels that begin outside the image; nil if it is what labels of serials and of
  /// other values end in.
  ///
  /// - Parameter hasBracket: Whether the text as it was read has a parenthesis.
  static func cutStrengths(_ text: [Unicode.Scalar], hasBracket: Bool) -> Strengths? {
    let serial =
      serialLabels.filter { hasBracket || !$0.endsInBracket }.map { cutStrength(of: $0, in: text) }.max() ?? 0
    let other = otherLabels.map { cutStrength(of: $0, in: text) }.max() ?? 0
    return serial != other || !isSharedEnd(text) ? Strengths(serial: serial, other: other) : nil
  }

  /// Rates a text as the end of a label that begins outside the image: 1.5 for `Number`, more for `rial Number`; 0 if it
  /// is not.
  private static func cutStrength(of label: Label, in text: [Unicode.Scalar]) -> Double {
    guard text.count >= 5, text.count < label.scalars.count, !label.isIdeographic else { return 0 }
    let edits = editDistance(text[...], label.scalars.suffix(text.count), limit: 1)
    guard edits <= 1 else { return 0 }
    return min(3, 1.5 + 0.4 * Double(text.count - 6)) - 0.5 * Double(edits)
  }

  /// Whether a text is the end of a serial's label from the middle of a word on, exactly, as where a finger covers the
  /// rest: `ial Number`.
  static func isEndWithoutBeginning(_ text: [Unicode.Scalar]) -> Bool {
    text.count >= leastOfUncovered
      && serialLabels.contains { label in
        !label.isIdeographic && text.count < label.scalars.count && label.scalars.suffix(text.count) == text[...]
      } && !(0..<leastOfWord).contains { isSharedEnd(Array(text.dropFirst($0))) }
  }

  /// Minimum length of the end of a label whose beginning is covered, and of its first word: shorter ones are ends of
  /// other labels too.
  private static let (leastOfUncovered, leastOfWord) = (8, 3)

  /// Whether a text may be the end of a serial's label cut off by the image's edge, too short to distinguish it from
  /// other labels: `No.`, `al`, `N:`, `Number`, or only a colon.
  public static func mayEndSerialLabel(_ text: some StringProtocol) -> Bool {
    let plain = plainScalars(text)
    if plain.isEmpty { return text.contains { ":)#".contains($0) } }
    if text.uppercased().hasSuffix("S)") { return plain.count == 1 }  // the data identifier on boxes, `(S)`
    if plain.count >= leastOfLabelEnd, isSharedEnd(plain) {
      return text.contains(")") || !bracketedEnds.contains(plain)
    }
    return plain.count < 5 && printedLabels.contains { $0.suffix(plain.count) == plain[...] }
  }

  /// Whether a text is the last words of a serial's label, but not all: `Number`, `de série`.
  public static func endsSerialLabel(_ text: some StringProtocol) -> Bool {
    let plain = plainScalars(text)
    return plain.count >= leastOfLabelEnd && labelEnds.contains(plain)
  }

  /// Whether a text is what labels of serials and of other values end in: `Number`, `nummer`.
  private static func isSharedEnd(_ plain: [Unicode.Scalar]) -> Bool {
    labelEnds.contains(plain) || sharedEndings.contains(String(String.UnicodeScalarView(plain)))
  }

  /// Minimum length of a label's last words: `No` and `de` stand in other text too.
  private static let leastOfLabelEnd = 5
  /// The last words of each label, in every number, and of those that end in a word in parentheses: `(system)`.
  private static let labelEnds = ends(of: serialTexts)
  private static let bracketedEnds = ends(of: serialTexts.filter { $0.hasSuffix(")") })

  private static func ends(of labels: [String]) -> Set<[Unicode.Scalar]> {
    Set(
      labels.flatMap { text in
        let words = text.split(separator: " ")
        return words.indices.dropFirst().map { plainScalars(words[$0...].joined()) }
      })
  }

  /// All labels of serials, long ones and abbreviations.
  private static let printedLabels = serialLabels.map(\.scalars) + abbreviations.map(plainScalars)
}

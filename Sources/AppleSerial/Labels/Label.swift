extension LabelKeywords {
  /// A printed label, and how many errors it may be read with.
  struct Label: Sendable {
    let scalars: [Unicode.Scalar]
    let isSerial: Bool
    let weight: Double
    /// In a serial's label of several words, the word that distinguishes it: `serial` in `Serial Number`; empty if
    /// there is none.
    private let core: [Unicode.Scalar]
    /// Whether the label has ideographs or kana. Each carries as much as several letters, so short labels allow no
    /// edits.
    let isIdeographic: Bool
    /// Whether it ends in a word in parentheses.
    let endsInBracket: Bool
    /// Maximum number of edits in the distinguishing word: with more, `Build Number` would match `Serial Number`,
    /// `Versienummer` `Serienummer`, and `osservano` `(S) Serial No.`.
    private let mostEditsOfCore: Int
    /// Maximum number of edits in the whole label.
    private let tolerance: Int
    var isLong: Bool { scalars.count > 8 }

    /// Whether a serial's label counts only where a word begins: with errors, since `Material`, `preferiti` and
    /// `osservano` end almost like `Serial` and `Serial No.`, and `Série` always (`Brasserie`).
    private func mustBeginWord(isExact: Bool) -> Bool { isSerial && !isIdeographic && (!isExact || scalars.count <= 5) }

    init(_ text: String, isSerial: Bool, hasCore: Bool = false) {
      scalars = LabelKeywords.plainScalars(text)
      self.isSerial = isSerial
      endsInBracket = text.hasSuffix(")")
      isIdeographic = scalars.contains { $0.value > 0x2E7F }
      let letters = isIdeographic ? scalars.count * 3 : scalars.count
      core = hasCore && !isIdeographic ? Self.core(of: text) : []
      mostEditsOfCore = core.count <= 5 || text.hasPrefix("(") ? 1 : 2
      tolerance =
        if isIdeographic {
          scalars.count > 4 ? 1 : 0
        } else if hasCore && core.isEmpty {
          2  // `Number (system)` has no distinguishing word.
        } else {
          Self.tolerance(ofLength: scalars.count, isSerial: isSerial)
        }
      weight = isSerial ? (letters <= 8 ? 3 : 5) : (letters > 4 ? 3 : 2) + (letters > 8 ? 2 : 0)
    }

    private static func tolerance(ofLength length: Int, isSerial: Bool) -> Int {
      switch length {
      case ...4: 0
      case 5: isSerial ? 0 : 1
      case 6...7: isSerial ? 2 : 1
      case 8: isSerial ? 2 : 3
      default: isSerial ? min(4, length / 3) : 3
      }
    }

    /// Whether a whole text is this label, with few errors.
    func matches(_ text: [Unicode.Scalar]) -> Bool {
      let edits = editDistance(text[...], scalars[...], limit: tolerance)
      return edits <= tolerance && keepsCore(text, despite: edits)
    }

    /// The minimum number of edits between the label and the end of a text, over slightly shorter and longer ends; nil if
    /// above the tolerance.
    ///
    /// - Parameter value: The text as it was read, which shows where words begin.
    func edits(atEndOf text: [Unicode.Scalar], of value: some StringProtocol) -> Int? {
      guard text.count >= scalars.count - (tolerance > 0 && isSerial ? 1 : 0) else { return nil }
      // A short label must be a whole word: `EID` at the end of `ICEID` is chance.
      let least = (tolerance > 0 ? [-1, 0, 1] : [0]).compactMap { longer -> Int? in
        let length = max(0, scalars.count + longer)
        let edits = editDistance(text.suffix(length), scalars[...], limit: tolerance)
        guard edits <= tolerance else { return nil }
        return !mustBeginWord(isExact: edits == 0) || Self.wordBegins(length, beforeEndOf: value) ? edits : nil
      }.min()
      guard let least, keepsCore(text, despite: least) else { return nil }
      return least
    }

    /// Whether a word begins with the last letters and digits of a text, of some number: behind anything but a letter, or
    /// with a capital as in `SystemSerial` and `ICSerial`.
    private static func wordBegins(_ wanted: Int, beforeEndOf text: some StringProtocol) -> Bool {
      var count = 0
      var next: Character?
      for index in text.indices.reversed() {
        let character = text[index]
        defer { next = character }
        guard !LabelKeywords.plainScalars(String(character)).isEmpty else { continue }
        count += 1
        guard count == wanted, index > text.startIndex else { continue }
        let before = text[text.index(before: index)]
        return !before.isLetter || (character.isUppercase && (before.isLowercase || next?.isLowercase ?? false))
      }
      return true
    }

    /// The longest word of a label that does not occur in other labels.
    private static func core(of label: String) -> [Unicode.Scalar] {
      let words = label.split { " ()".contains($0) }.map {
        String(String.UnicodeScalarView(LabelKeywords.plainScalars($0)))
      }
      guard let word = words.filter({ !LabelKeywords.sharedWords.contains($0) }).max(by: { $0.count < $1.count }) else {
        return []
      }
      let ending = LabelKeywords.sharedEndings.first { word.hasSuffix($0) && word.count > $0.count + 3 } ?? ""
      return LabelKeywords.plainScalars(word.dropLast(ending.count))
    }

    /// Whether the distinguishing word is at the end of a text, with few errors, if the whole label has a number of them.
    private func keepsCore(_ text: [Unicode.Scalar], despite edits: Int) -> Bool {
      let most = mostEditsOfCore
      guard edits > most, core.count > most else { return true }
      let end = text.suffix(scalars.count + most)
      return end.indices.contains { start in
        (core.count - 1...core.count + 1).contains { length in
          start + length <= end.endIndex && editDistance(end[start...].prefix(length), core[...], limit: most) <= most
        }
      }
    }
  }
}

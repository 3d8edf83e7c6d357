extension LabelKeywords {
  /// Whether a text ends in an exact serial label as programs write it: `serial_number`, `S/N:`, `deviceSerial`.
  ///
  /// A barcode's payload has no OCR errors, so a word similar to a label (`special`, `social`) is a different word.
  public static func endsInSerialLabel(_ text: some StringProtocol) -> Bool {
    let end = LabelEnd(text)
    return end.endsInMark || longest.contains { end.ends(in: longLabels, length: $0, atWordStart: false) }
      || shortest.contains { end.ends(in: shortLabels, length: $0, atWordStart: true) }
  }

  /// Labels that must be whole words, because other words end in `sn` too.
  private static let shortLabels = Set(
    ["sn", "sl", "ser", "snr", "sno", "slno", "sernr", "serno", "sernum", "serie"])
  /// Labels that may also be at the end of a longer word.
  private static let longLabels = Set(
    (serialTexts + ["Serial Num", "Serial Nr.", "Serial ID", "Serienr", "Serino"]).map(plain)
  ).subtracting(shortLabels)
  private static let shortest = Set(shortLabels.map(\.unicodeScalars.count)).sorted()
  private static let longest = Set(longLabels.map(\.unicodeScalars.count)).sorted()

  private static func plain(_ text: String) -> String { String(String.UnicodeScalarView(plainScalars(text))) }

  /// The end of a text normalised for comparing labels: letters and digits without case and accents.
  private struct LabelEnd {
    private var scalars: [Unicode.Scalar] = []
    /// Whether a word begins at each scalar.
    private var startsWord: [Bool] = []
    /// Whether the text ends in `(S)` or `N/S`, which are labels because of their punctuation.
    let endsInMark: Bool

    init(_ text: some StringProtocol) {
      let end = Array(text.unicodeScalars.suffix(60))
      var last: Unicode.Scalar?
      for scalar in end {
        let plain = LabelKeywords.plainScalars(String(scalar))
        if let first = plain.first {
          scalars.append(first)
          startsWord.append(last.map { !Self.isInWord($0) || Self.isHump($0, scalar) } ?? true)
        }
        last = scalar
      }
      let mark = String(String.UnicodeScalarView(end.suffix(8))).uppercased()
      let trimmed = mark.reversed().drop { " :.#=-".contains($0) }.prefix(4)
      endsInMark = ["(S)", "N/S"].contains { name in
        let rest = trimmed.dropFirst(name.count)
        return trimmed.starts(with: name.reversed()) && !(rest.first?.isLetter ?? false)
      }
    }

    /// Whether the last `length` scalars are one of the labels.
    func ends(in labels: Set<String>, length: Int, atWordStart: Bool) -> Bool {
      let start = scalars.count - length
      guard start >= 0, !atWordStart || startsWord[start] else { return false }
      return labels.contains(String(String.UnicodeScalarView(scalars[start...])))
    }

    private static func isInWord(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }

    /// Whether a word of `camelCase` begins at the second scalar.
    private static func isHump(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
      first.properties.isLowercase && second.properties.isUppercase
    }
  }
}

extension SerialNumber {
  /// Whether its characters repeat or count up so regularly that it is a sample of a manual or a mask (`XXXXXXXXXXXX`, `C02XXXXXXXXX`,
  /// `0123456789AB`), which no device has.
  ///
  /// It is told by structure: runs of one character or of characters that follow each other, few different characters, and a part that is
  /// repeated. Of a million random serials some six are taken for one (`PlaceholderTests`).
  public var isPlaceholder: Bool { Self.isPlaceholder(text) }

  /// Whether a text is such a sample or mask, also one that breaks the grammar of serials.
  public static func isPlaceholder(_ text: String) -> Bool {
    let values = text.utf8.map(Self.rank)
    let runs = runs(in: values)
    return runs.contains { $0.step == 0 && $0.length >= 5 } || runs.contains { $0.length >= 6 }
      || runs.reduce(0) { $0 + $1.length - 1 } >= 6 || Set(values).count <= 3 || isPeriodic(values)
      || values.contains { value in values.count { $0 == value } >= 7 }
  }

  /// A stretch of characters, each as far from the one before it as that is from its own.
  private struct Run {
    /// 0 for one character that is repeated, 1 and -1 for those that follow each other up or down.
    var step: Int
    var length: Int
  }

  /// Stretches of three characters or more.
  private static func runs(in values: [Int]) -> [Run] {
    var runs: [Run] = []
    var run = Run(step: 2, length: 1)
    for (before, value) in zip(values, values.dropFirst()) {
      let step = value - before
      if step == run.step, (-1...1).contains(step) {
        run.length += 1
      } else {
        runs.append(run)
        run = Run(step: step, length: 2)
      }
    }
    runs.append(run)
    return runs.filter { (-1...1).contains($0.step) && $0.length >= 3 }
  }

  /// Whether a part, at most half as long, is repeated from the first character to the last.
  private static func isPeriodic(_ values: [Int]) -> Bool {
    (1...max(1, values.count / 2)).contains { period in
      values.indices.dropFirst(period).allSatisfy { values[$0] == values[$0 - period] }
    }
  }

  /// A character's place among the digits, or among the letters, in which serials have neither `I` nor `O`; letters lie far from digits.
  private static func rank(_ byte: UInt8) -> Int {
    let value = Int(clamping: byte)
    guard byte > UInt8(ascii: "9") else { return value }
    let skipped = (byte > UInt8(ascii: "I") ? 1 : 0) + (byte > UInt8(ascii: "O") ? 1 : 0)
    return 100 + value - skipped
  }
}

extension SerialNumber {
  /// Whether its characters repeat or count so regularly that it is a manual's example or a mask (`XXXXXXXXXXXX`,
  /// `C02XXXXXXXXX`, `0123456789AB`), which no device has.
  ///
  /// The criteria are structural: runs of one or of consecutive characters, also of the letters or digits alone
  /// (`X12X34XX56`), few distinct characters, and a repeated part. About six in a million random serials match
  /// (`PlaceholderTests`).
  public var isPlaceholder: Bool { Self.isPlaceholder(text) }

  /// Whether a text is such an example or mask, even if it is not a valid serial.
  public static func isPlaceholder(_ text: String) -> Bool {
    let values = text.utf8.map(Self.rank)
    let runs = runs(in: values)
    return runs.contains { $0.step == 0 && $0.length >= 5 } || runs.contains { $0.length >= 6 }
      || runs.reduce(0) { $0 + $1.length - 1 } >= 6 || Set(values).count <= 3 || isPeriodic(values)
      || values.contains { value in values.count { $0 == value } >= 7 }
      || [values.filter { $0 < letters }, values.filter { $0 >= letters }].allSatisfy(isRun)
  }

  /// A run of characters with a constant difference.
  private struct Run {
    /// 0 for a repeated character, 1 or -1 for ascending or descending characters.
    var step: Int
    var length: Int
  }

  /// Finds runs of at least three characters.
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

  /// Whether all of at least three values are one run.
  private static func isRun(_ values: [Int]) -> Bool { runs(in: values).first?.length == values.count }

  /// Whether a part of at most half the length repeats throughout.
  private static func isPeriodic(_ values: [Int]) -> Bool {
    (1...max(1, values.count / 2)).contains { period in
      values.indices.dropFirst(period).allSatisfy { values[$0] == values[$0 - period] }
    }
  }

  /// Least rank of a letter.
  private static let letters = 100

  /// A character's rank among the digits or letters, without `I` and `O`, which serials do not contain; letters are far
  /// from digits.
  private static func rank(_ byte: UInt8) -> Int {
    let value = Int(clamping: byte)
    guard byte > UInt8(ascii: "9") else { return value }
    let skipped = (byte > UInt8(ascii: "I") ? 1 : 0) + (byte > UInt8(ascii: "O") ? 1 : 0)
    return letters + value - skipped
  }
}

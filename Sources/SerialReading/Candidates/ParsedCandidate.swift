/// A serial parsed from one reading of one line.
package struct ParsedCandidate: Sendable {
  /// 10, 11 or 12 characters of the alphabet of serials.
  var text: [UInt8]
  /// The recogniser's confidence per character, 0...100, minus the cost of replaced look-alikes.
  var confidences: [Float]
  /// Strength of the label before it: 0 if unlabelled, else 1.5...5.5 as rated by `LabelKeywords`.
  var keyword: Float
  /// Index of its first symbol in the line.
  var firstSymbol: Int
  /// Whether the line ends after it or a space follows.
  var endsCleanly: Bool
  /// Whether a letter or digit follows without a recognised space.
  package var goesOn: Bool
  /// Whether it has a serial's format in a line printed on Apple devices.
  var isInDevicePrint: Bool
  /// Whether it fits the grammar of its length.
  var fitsGrammar: Bool
  /// Number of characters replaced as look-alikes.
  var folds: Int
  /// Number of spaces inside it.
  var innerSpaces: Int
  /// Rank among candidates of one line; higher is better.
  var quality: Float

  /// Number of characters.
  var count: Int { text.count }
  /// The serial.
  package var string: String { String(decoding: text, as: UTF8.self) }
  /// Indices of its symbols in the line.
  var symbols: Range<Int> { firstSymbol..<firstSymbol + count }

  /// The number of places at which a text of the same length differs.
  func distance(to other: [UInt8]) -> Int { zip(text, other).reduce(0) { $0 + ($1.0 == $1.1 ? 0 : 1) } }
}

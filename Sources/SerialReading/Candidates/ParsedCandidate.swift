/// A serial as it stands in one reading of one line.
package struct ParsedCandidate: Sendable {
  /// 10, 11 or 12 characters of the serials' alphabet.
  var text: [UInt8]
  /// The recogniser's confidence a character, 0...100, less what look-alikes cost.
  var confidences: [Float]
  /// How clearly a label stands before it: 0 for none, 1.5...5.5 as `LabelKeywords` rates it.
  var keyword: Float
  /// Index of its first symbol in the line.
  var firstSymbol: Int
  /// Whether the line ends with it, or a space follows.
  var endsCleanly: Bool
  /// Whether a letter or a digit follows, and no space that the recogniser saw.
  package var goesOn: Bool
  /// Whether it has a serial's shape in a line that is printed on devices of Apple's.
  var isInDevicePrint: Bool
  /// Whether it fits the grammar of its length.
  var fitsGrammar: Bool
  /// Characters that were taken for their look-alikes.
  var folds: Int
  /// Spaces inside it.
  var innerSpaces: Int
  /// For ordering candidates of one line; higher is better.
  var quality: Float

  /// Number of characters.
  var count: Int { text.count }
  /// The serial.
  package var string: String { String(decoding: text, as: UTF8.self) }
  /// Indices of its symbols in the line.
  var symbols: Range<Int> { firstSymbol..<firstSymbol + count }

  /// The number of places at which another serial of the same length differs.
  func distance(to other: [UInt8]) -> Int { zip(text, other).reduce(0) { $0 + ($1.0 == $1.1 ? 0 : 1) } }
}

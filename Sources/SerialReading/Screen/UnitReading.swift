import AppleSerial
import TextReading

/// The results of reading one unit, serial or not.
struct UnitReading {
  /// The serial with its label, if the unit is one.
  var serial: LabelledRead?
  /// The first reading; nil if there was nothing to read.
  private(set) var first: UnitText?
  /// Whether there was no print to read.
  var isTexture = false
  /// Whether the text was read clearly.
  private(set) var isClear = false
  /// Whether the unit or the text before it is a known label.
  var hasKnownLabel = false
  /// Whether the unit is a serial's label.
  private(set) var isSerialLabel = false
  /// Whether it is an order number such as `MVVJ2LL/A`.
  private(set) var isPartNumber = false
  /// Whether it is part of an address or of a universally unique identifier, whose groups each resemble a serial.
  private(set) var isIdentifier = false
  /// Whether it is, or begins, a universally unique identifier.
  private(set) var isUniversalIdentifier = false
  /// Whether it has a serial's format, with nothing readable before it.
  var isUnlabelledValue = false
  /// Whether the line directly above is an order number.
  var isBelowPartNumber = false
  /// Whether a clearly read word stands before it.
  var followsClearWord = false
  /// A serial's label with its value that was read where this unit's label was searched.
  var neighbour: LabelReader.LabelledNeighbour?

  /// Minimum mean confidence, 0...100, and length of a clearly read text.
  private static let clear: (confidence: Float, count: Int) = (92, 5)

  /// Notes the first reading.
  mutating func note(_ line: TextLine, of segment: TextSegment) {
    first = UnitText(segment: segment, line: line)
    isClear = line.symbols.count >= Self.clear.count && line.meanConfidence > Self.clear.confidence
    let strengths = LabelKeywords.strengths(before: line.text)
    hasKnownLabel = max(strengths.serial, strengths.other) >= LabelKeywords.Strengths.leastOfKnown
    isSerialLabel = strengths.serial >= LabelKeywords.Strengths.leastOfKnown
    isIdentifier = isClear && Self.isGrouped(line.text)
    isUniversalIdentifier = isIdentifier && Self.beginsUniversalIdentifier(line.text)
    isPartNumber = Self.isPartNumber(line.text)
  }

  /// Whether a text is an order number such as `MVVJ2LL/A`.
  static func isPartNumber(_ text: String) -> Bool {
    LookAlike(text.filter { $0 != " " }) == .partNumber && text.contains(where: \.isNumber)
  }

  /// Whether a text begins like `AB23B013-AAD5-`.
  private static func beginsUniversalIdentifier(_ text: String) -> Bool {
    let groups = text.filter { $0 != " " }.split(separator: "-", omittingEmptySubsequences: false)
    return groups.count >= 2 && groups[0].count == 8 && (groups[1].count == 4 || groups.count == 2)
  }

  /// Whether a text consists of groups of hexadecimal digits separated by hyphens or colons.
  private static func isGrouped(_ text: String) -> Bool {
    let groups = text.split { $0 == "-" || $0 == ":" || $0 == " " }
    let separators = text.count { $0 == "-" || $0 == ":" }
    return separators >= 1 && groups.count >= 2
      && groups.allSatisfy { $0.allSatisfy { $0.isHexDigit || $0 == "O" } }
  }
}

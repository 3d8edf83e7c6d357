/// What a JSON text may hold, looked at before a decoder sees it: a decoder keeps some twenty bytes for each value of
/// two, so that a body of megabytes could stand for a gigabyte, and goes a call deeper with each bracket.
package struct JSONBounds {
  /// What is too much.
  package enum Excess: Error, Equatable {
    /// Brackets within brackets.
    case depth(most: Int)
    /// Values, names of fields among them.
    case values(most: Int)
    /// Bytes of the name of a field.
    case name(most: Int)
  }

  /// The deepest nesting; no body of the interface needs more than five.
  package static let mostDepth = 32
  /// The most values. A frame has some twenty, an annotation of corners a hundred.
  package static let mostValues = 10_000

  /// The bytes of the longest name. A decoder compares names character by character.
  package static let longestName = 1_000

  /// The bytes that were looked at, as the measure of the work.
  package private(set) var steps = 0

  /// Creates a check.
  package init() {}

  /// Looks at a text up to its end, or to where it has too much. Whether it is JSON is for the decoder to say.
  package mutating func check(_ text: some Sequence<UInt8>) throws(Excess) {
    var (depth, values) = (0, 1)
    var (isText, isEscaped) = (false, false)
    var textLength = 0
    for byte in text {
      steps += 1
      if isText {
        textLength += 1
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isText = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        isText = true
        textLength = 0
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        values += 1
        guard depth <= Self.mostDepth else { throw .depth(most: Self.mostDepth) }
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ","): values += 1
      case UInt8(ascii: ":"):
        values += 1
        guard textLength <= Self.longestName else { throw .name(most: Self.longestName) }
      default: break
      }
      guard values <= Self.mostValues else { throw .values(most: Self.mostValues) }
    }
  }
}

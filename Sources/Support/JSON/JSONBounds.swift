/// Limits on a JSON text, checked before it is decoded, and that no object has a field twice. Fields are compared as they
/// are written.
///
/// A decoder uses some twenty bytes for each value of two bytes, so that a body of megabytes could take a gigabyte of
/// memory, and it recurses into each bracket.
package struct JSONBounds {
  /// The limit that a text exceeds.
  package enum Excess: Error, Equatable {
    /// Nesting depth.
    case depth(most: Int)
    /// Number of values, including field names.
    case values(most: Int)
    /// Bytes of a field name.
    case name(most: Int)
    /// A field that appears twice in an object. Decoders keep one of its values and say nothing.
    case repeated(String)
  }

  /// Maximum nesting depth; no request of the API needs more than five.
  package static let mostDepth = 32
  /// Maximum number of values. A frame has some twenty, an annotation of corners a hundred.
  package static let mostValues = 10_000

  /// Maximum bytes of a name. A decoder compares names character by character.
  package static let longestName = 1_000

  /// Number of bytes checked, as a measure of the work.
  package private(set) var steps = 0

  /// Creates a check.
  package init() {}

  /// Checks a text up to its end or the first excess. Does not validate its syntax, which the decoder does.
  package mutating func check(_ text: some Sequence<UInt8>) throws(Excess) {
    var (depth, values) = (0, 1)
    var (isText, isEscaped) = (false, false)
    var textLength = 0
    var name: [UInt8] = []
    // The fields of each open object; empty for lists.
    var fields: [Set<[UInt8]>] = []
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
          continue
        }
        if textLength <= Self.longestName { name.append(byte) }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        isText = true
        textLength = 0
        name.removeAll(keepingCapacity: true)
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        values += 1
        guard depth <= Self.mostDepth else { throw .depth(most: Self.mostDepth) }
        fields.append([])
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth -= 1
        _ = fields.popLast()
      case UInt8(ascii: ","): values += 1
      case UInt8(ascii: ":"):
        values += 1
        guard textLength <= Self.longestName else { throw .name(most: Self.longestName) }
        if let object = fields.indices.last, !fields[object].insert(name).inserted {
          throw .repeated(String(decoding: name, as: UTF8.self))
        }
      default: break
      }
      guard values <= Self.mostValues else { throw .values(most: Self.mostValues) }
    }
  }
}

/// A minimal pattern for whole ASCII texts.
///
/// `#` matches a digit, `@` a letter, `%` either, `~` a hexadecimal digit, and any other character itself. After an
/// element, `?` makes it optional and `+` repeats it.
struct ShapePattern: Sendable {
  private enum Repetition { case once, optional, oneOrMore }
  private let elements: [(symbol: UInt8, repetition: Repetition)]

  init(_ pattern: String) {
    var elements: [(symbol: UInt8, repetition: Repetition)] = []
    for byte in pattern.utf8 {
      switch byte {
      case UInt8(ascii: "?") where !elements.isEmpty: elements[elements.count - 1].repetition = .optional
      case UInt8(ascii: "+") where !elements.isEmpty: elements[elements.count - 1].repetition = .oneOrMore
      default: elements.append((byte, .once))
      }
    }
    self.elements = elements
  }

  func matches(_ text: [UInt8]) -> Bool { matches(text[...], from: 0) }

  private func matches(_ text: ArraySlice<UInt8>, from index: Int) -> Bool {
    guard index < elements.count else { return text.isEmpty }
    let element = elements[index]
    let fits = text.first.map { Self.fits($0, element.symbol) } ?? false
    switch element.repetition {
    case .once: return fits && matches(text.dropFirst(), from: index + 1)
    case .optional: return (fits && matches(text.dropFirst(), from: index + 1)) || matches(text, from: index + 1)
    case .oneOrMore:
      return fits && (matches(text.dropFirst(), from: index + 1) || matches(text.dropFirst(), from: index))
    }
  }

  private static func fits(_ byte: UInt8, _ symbol: UInt8) -> Bool {
    let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    let isLetter = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    return switch symbol {
    case UInt8(ascii: "#"): isDigit
    case UInt8(ascii: "@"): isLetter
    case UInt8(ascii: "%"): isDigit || isLetter
    case UInt8(ascii: "~"): isDigit || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
    default: byte == symbol
    }
  }
}

import AppleSerial
import TextReading

/// Rates whether the text before a place in a line announces a serial or something else.
struct Keywords {
  private let characters: [Character]
  /// The line with its spaces, and the index of each symbol in it.
  private let spaced: [Character]
  private let places: [Int]

  init(_ line: TextLine) {
    characters = line.symbols.map(\.character)
    var spaced: [Character] = []
    var places: [Int] = []
    for (index, symbol) in line.symbols.enumerated() {
      if symbol.startsWord, index > 0 { spaced.append(" ") }
      places.append(spaced.count)
      spaced.append(symbol.character)
    }
    self.spaced = spaced
    self.places = places
  }

  /// How strongly the text before a symbol announces a serial, and how strongly something else.
  func strengths(before symbol: Int) -> LabelKeywords.Strengths {
    let end = places[symbol]
    guard end > 0 else { return LabelKeywords.strengths(before: "") }
    let before = String(spaced[max(0, end - 40)..<end])
    // The line's edge cut off the label's first letters.
    if ["erial", "rial", "ial"].contains(where: before.hasPrefix), end <= 9 {
      return LabelKeywords.strengths(before: "Ser" + before.drop { "ser".contains($0) })
    }
    return LabelKeywords.strengths(before: before)
  }

  /// How strongly the end of the line announces a serial in the line below; 0 if it doesn't.
  var strengthAtEnd: Float {
    let strengths = LabelKeywords.strengths(before: String(spaced.suffix(40)))
    return strengths.announcesSerial ? Float(strengths.serial) : 0
  }

  /// Whether a value may begin at a symbol without a space before it: after punctuation, or joined to a word that ends
  /// like a label.
  func mayBegin(at symbol: Int) -> Bool {
    guard symbol > 0 else { return true }
    if ":#.)".contains(characters[symbol - 1]) { return true }
    guard symbol > 1 else { return false }
    let ending = String(characters[symbol - 2...symbol - 1]).lowercased()
    return ["al", "a1", "no", "n0", "er", "ie", "sn"].contains(ending)
  }

  /// Whether the text contains the beginning of a label or a serial although no serial was parsed; such a line is read
  /// once more.
  static func promisesSerial(_ text: String) -> Bool {
    let characters = Array(text)
    func matches(_ sets: [String], at start: Int) -> Bool {
      start + sets.count <= characters.count
        && sets.indices.allSatisfy { sets[$0].contains(characters[start + $0]) }
    }
    return characters.indices.contains { start in
      matches(["Ss5", "eacr", "r", "il1", "a"], at: start) || matches(["C", "0O", "2"], at: start)
    }
  }
}

import AppleSerial

/// What several readings of a line say of one place: its characters, each with the weight of the readings that have it.
///
/// Characters keep the order in which they were read, so that their sum has the same last bit in every run.
package struct CharacterTally: Sendable {
  /// The characters that were read there, in the order in which they first were.
  private(set) var entries: [(byte: UInt8, weight: Float)] = []
  /// Readings that took part.
  private(set) var readings = 0

  package init() {}

  /// Adds a reading's character with its log-odds.
  package mutating func add(_ byte: UInt8, _ logOdds: Float) {
    readings += 1
    if let known = entries.firstIndex(where: { $0.byte == byte }) {
      entries[known].weight += logOdds
    } else {
      entries.append((byte, logOdds))
    }
  }

  /// The heaviest character that the grammar of the length admits at the place; the heaviest of all where it admits none of them, nil where
  /// none was read.
  func winner(at place: Int, of length: Int) -> UInt8? {
    let order = entries.sorted { ($0.weight, $0.byte) > ($1.weight, $1.byte) }
    let format = SerialNumber.Format(length: length)
    return (order.first { format?.admits($0.byte, at: place) ?? true } ?? order.first)?.byte
  }

  /// Whether all readings have the same character.
  var isUnanimous: Bool { entries.count == 1 }

  /// Log-odds for a character less those against it, a reading.
  package func margin(of byte: UInt8) -> Float {
    let total = entries.reduce(0) { $0 + $1.weight }
    let own = entries.first { $0.byte == byte }?.weight ?? 0
    return (2 * own - total) / Float(max(1, readings))
  }
}

import AppleSerial

/// The characters that several readings have at one place, each with the weight of its readings.
///
/// Characters keep the order in which they were first read, so their sum is bit-identical in every run.
package struct CharacterTally: Sendable {
  /// The characters read there, in the order of first occurrence.
  private(set) var entries: [(byte: UInt8, weight: Float)] = []
  /// Number of readings.
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

  /// The heaviest character that the grammar allows at a place, for a length. If the grammar allows none of them, the
  /// heaviest of all; nil if none was read.
  func winner(at place: Int, of length: Int) -> UInt8? {
    let order = entries.sorted { ($0.weight, $0.byte) > ($1.weight, $1.byte) }
    let format = SerialNumber.Format(length: length)
    return (order.first { format?.admits($0.byte, at: place) ?? true } ?? order.first)?.byte
  }

  /// Whether all readings have the same character.
  var isUnanimous: Bool { entries.count == 1 }

  /// Log-odds for a character minus those against it, per reading.
  package func margin(of byte: UInt8) -> Float {
    let total = entries.reduce(0) { $0 + $1.weight }
    let own = entries.first { $0.byte == byte }?.weight ?? 0
    return (2 * own - total) / Float(max(1, readings))
  }
}

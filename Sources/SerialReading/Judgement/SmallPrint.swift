import AppleSerial
import Imaging

/// Acceptance rules for print so small that look-alikes differ in a pixel or two. In a photo of a screen with ten-pixel
/// capitals every crop read a `G` as `C`, with a confidence of 0.986.
package enum SmallPrint {
  /// Capital height, in pixels of the photo as uploaded, below which print is small.
  package static let capital = 11.5
  /// Stroke lead of a character over each of its look-alikes, as a natural logarithm, from which they are separated.
  private static let leastLead: Float = 1.5
  /// Ratio of the sizes of two crops from which they count as two scales.
  static let leastRatio: Float = 1.2

  /// Characters that differ in one stroke.
  private static let lookAlikes: [[UInt8]] = ["CG", "0DQ", "8B", "5S", "2Z", "6G", "08"].map { Array($0.utf8) }

  /// Whether the strokes separate every character from its look-alikes; false if the strokes of one were not found.
  ///
  /// - Parameter strokes: Natural logarithms of the probabilities of the network's characters, by place.
  package static func areLookAlikesParted(in text: [UInt8], by strokes: [Int: [Float]]) -> Bool {
    text.indices.allSatisfy { place in
      let others = lookAlikes.filter { $0.contains(text[place]) }.joined().filter { $0 != text[place] }
      guard !others.isEmpty else { return true }
      guard let logs = strokes[place] else { return false }
      return others.allSatisfy { GlyphVote.lead(of: text[place], over: $0, logs) >= Double(leastLead) }
    }
  }
}

extension LineCrop {
  /// Whether its print is small in the photo as uploaded.
  var isSmallPrint: Bool { toUploaded.length(down: capital) < SmallPrint.capital }
}

extension [Float] {
  /// Whether these crop sizes are at least three, in at least two scales.
  var areScales: Bool {
    guard count >= Vote.leastReadings, let least = self.min(), let greatest = self.max() else {
      return false
    }
    return greatest >= SmallPrint.leastRatio * least
  }
}

extension TextEvidence {
  /// Whether a serial in small print may be accepted: crops in two scales agree on every character, and the strokes
  /// separate all look-alikes.
  package func bearsOutSmallPrint(_ serial: String) -> Bool {
    isUnanimousInScales && SmallPrint.areLookAlikesParted(in: Array(serial.utf8), by: strokes)
  }
}

extension FusedSerial {
  /// Whether it is a text in print so small that it must be confirmed in two scales, and was not. A code has no print.
  var isUnsureSmallPrint: Bool {
    guard isTextAlone, let evidence, let capital = read.region.flatMap(Sighting.init)?.capital else { return false }
    return capital < SmallPrint.capital && !evidence.bearsOutSmallPrint(serial)
  }
}

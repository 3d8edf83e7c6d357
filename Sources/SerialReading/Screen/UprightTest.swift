import AppleSerial
import Imaging
import TextReading

/// What was read of a unit as if it stood upright.
struct UnitText {
  /// Where it stands.
  var segment: TextSegment
  /// What the first reading said.
  var line: TextLine

  /// Whether it is text, whichever way up: texture scores about 80, and of a few characters more by chance.
  var isLegible: Bool { line.symbols.count >= 5 && line.meanConfidence >= 90 }
}

/// Finds out whether lines stand on their head, by reading some both ways.
///
/// Text upside down is read with almost the same confidence, so that words count more: those of labels, and the few that
/// stand on every device.
struct UprightTest {
  let crops: CropReader

  /// Lines that are tried at most.
  private static let mostLines = 3
  /// What a known word counts, in points of confidence.
  private static let wordWeight: Float = 8
  /// Difference in confidence, 0...100, from which no further line is tried.
  private static let clearDifference: Float = 6
  private static let knownWords = [
    "apple", "california", "designed", "assembled", "model", "serial", "number", "version", "iphone", "address", "name",
    "about", "macos", "memory", "phone", "china",
  ]

  /// Whether lines read better turned by 180 degrees: what was read best of them already, else those with the most
  /// characters.
  ///
  /// Of a screen under moiré the longest lines are stripes, which read as badly either way.
  ///
  /// - Parameter asRead: What was read as if upright, by its line.
  func isUpsideDown(_ lines: [TextSegment], asRead: [UnitText]) -> Bool {
    let legible = asRead.filter(\.isLegible).sorted { $0.line.meanConfidence > $1.line.meanConfidence }
    let long = lines.filter { $0.length >= 4 * $0.capitalHeight && $0.count >= 5 }.sorted { $0.count > $1.count }
    let asked: [(segment: TextSegment, upright: TextLine?)] =
      legible.isEmpty ? long.map { ($0, nil) } : legible.map { ($0.segment, $0.line) }
    var difference: Float = 0
    for (segment, upright) in asked.prefix(Self.mostLines) where abs(difference) <= Self.clearDifference {
      guard let upright = upright.map(score) ?? score(segment, isUpsideDown: false),
        let upsideDown = score(segment, isUpsideDown: true)
      else { continue }
      difference += upsideDown - upright
    }
    return difference > 0
  }

  /// How well a line reads one way; nil where it is no print.
  private func score(_ line: TextSegment, isUpsideDown: Bool) -> Float? {
    // The middle of a line, some 18 characters, is enough.
    let middle = (line.left + line.right) / 2
    let half = min(line.length / 2 + line.capitalHeight, 9 * line.capitalHeight)
    let variant = CropVariant.measured
    guard let crop = crops.cut(line, (middle - half)...(middle + half), variant, isUpsideDown: isUpsideDown),
      let text = crops.read(crop, variant)
    else { return nil }
    return score(text)
  }

  private func score(_ text: TextLine) -> Float {
    let lower = text.text.lowercased()
    let strengths = LabelKeywords.strengths(before: text.text)
    let isKnown =
      Self.knownWords.contains { lower.contains($0) }
      || max(strengths.serial, strengths.other) >= LabelKeywords.Strengths.leastOfKnown
    return text.meanConfidence + (isKnown ? Self.wordWeight : 0)
  }
}

import AppleSerial
import Imaging
import TextReading

/// The reading of a unit as if upright.
struct UnitText {
  /// The unit's place.
  var segment: TextSegment
  /// The first reading.
  var line: TextLine

  /// Whether it is text, either way up: texture scores about 80, and higher by chance if it has only a few characters.
  var isLegible: Bool { line.symbols.count >= 5 && line.meanConfidence >= 90 }
}

/// Detects whether lines are upside down, by reading some of them both ways.
///
/// Upside-down text reads with almost the same confidence, so known words weigh more: those of labels, and a few that
/// stand on every device.
struct UprightTest {
  let crops: CropReader

  /// Maximum number of lines tried.
  private static let mostLines = 3
  /// Weight of a known word, in points of confidence.
  private static let wordWeight: Float = 8
  /// Difference in confidence, 0...100, from which no further line is tried.
  private static let clearDifference: Float = 6
  private static let knownWords = [
    "apple", "california", "designed", "assembled", "model", "serial", "number", "version", "iphone", "address", "name",
    "about", "macos", "memory", "phone", "china",
  ]

  /// Whether lines read better when turned by 180 degrees. Tests the lines that read best so far; if none was legible,
  /// those with the most characters.
  ///
  /// On a screen with moiré the longest lines are stripes, which read equally badly both ways.
  ///
  /// - Parameters:
  ///   - lines: The image's lines.
  ///   - asRead: The lines that were read as if upright.
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

  /// The score of a line read one way; nil if it is not print.
  private func score(_ line: TextSegment, isUpsideDown: Bool) -> Float? {
    // The middle of a line, about 18 characters, is enough.
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

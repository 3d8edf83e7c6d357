import AppleSerial
import Foundation
import ScanModel
import TextReading

/// Estimates how clear each character of a text is, from the readings of its line and from its strokes, with the
/// likeliest alternatives.
///
/// The result directs a person's attention; the serial's confidence does not depend on it.
package struct CharacterClarity: Sendable {
  private let text: [UInt8]
  private let margins: [Float]
  private let tallies: [CharacterTally]
  private let strokes: [Int: [Float]]

  /// Weights of the log-odds that a character is correct: per unit of the vote's margin, and per unit of its strokes'
  /// lead over the likeliest other character.
  private static let weights = (margin: 1.0, lead: 0.5)
  /// Range of reported probabilities: no character is certain.
  private static let told = 0.01...0.999
  /// Probability from which a character is clear, and the least that an alternative needs to be reported.
  private static let clear = 0.99
  private static let leastOfAlternative = 0.01

  /// Creates the estimate for the characters of a serial.
  ///
  /// - Parameters:
  ///   - margins: The vote's margin at each place, log-odds per reading.
  ///   - strokes: Stroke log-probabilities by place, as in `GlyphVote.Opinion`.
  package init(_ text: [UInt8], margins: [Float], tallies: [CharacterTally], strokes: [Int: [Float]]) {
    (self.text, self.margins, self.tallies, self.strokes) = (text, margins, tallies, strokes)
  }

  /// The characters as the result shows them.
  package var reads: [CharacterRead] {
    text.indices.map { place in
      let others = others(at: place)
      let lead = others.map { strokeLead(over: $0, at: place) }.min() ?? 0
      let logOdds = Self.weights.margin * Double(margins[place]) + Self.weights.lead * lead
      let confidence = min(Self.told.upperBound, max(Self.told.lowerBound, LogOdds.probability(logOdds)))
      return CharacterRead(
        character: Self.string(text[place]), confidence: Confidence.displayed(confidence),
        alternatives: confidence >= Self.clear ? [] : alternatives(others, at: place, sharing: 1 - confidence))
    }
  }

  /// The other characters of serials that the grammar allows at a place.
  private func others(at place: Int) -> [UInt8] {
    let format = SerialNumber.Format(length: text.count)
    return GlyphModel.alphabet.filter { $0 != text[place] && (format?.admits($0, at: place) ?? true) }
  }

  /// The strokes' lead of the text's character over another at a place, as a natural logarithm; 0 if the strokes could
  /// not be separated.
  private func strokeLead(over other: UInt8, at place: Int) -> Double {
    strokes[place].map { GlyphVote.lead(of: text[place], over: other, $0) } ?? 0
  }

  /// The likeliest other characters, each with its share of a probability.
  private func alternatives(
    _ others: [UInt8], at place: Int, sharing probability: Double
  ) -> [CharacterRead.Alternative] {
    let weighed = others.map { byte in
      let read = tallies[place].margin(of: byte) - tallies[place].margin(of: text[place])
      return (
        byte,
        odds: exp(
          Self.weights.margin * Double(read) / 2 - Self.weights.lead * strokeLead(over: byte, at: place))
      )
    }
    let total = weighed.reduce(0) { $0 + $1.odds }
    return weighed.sorted { $0.odds > $1.odds }.prefix(CharacterRead.mostAlternatives).compactMap { byte, odds in
      let confidence = Confidence.displayed(probability * odds / max(total, .leastNormalMagnitude))
      return confidence < Self.leastOfAlternative
        ? nil : CharacterRead.Alternative(character: Self.string(byte), confidence: confidence)
    }
  }

  private static func string(_ byte: UInt8) -> String { String(decoding: [byte], as: UTF8.self) }
}

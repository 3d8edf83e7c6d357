import AppleSerial
import Foundation
import TextReading

/// Decodes the serials that a value's lattice may hold, each with its probability over all alignments: a prefix beam
/// search over the time steps. Look-alikes that serials never contain are folded; strings that cannot be serials are
/// dropped.
///
/// One reading's lattice is as informative as three readings whose texts agree, but it doesn't show whether a character
/// was cut off.
package struct LatticeDecoder {
  /// A string with the natural logarithm of its probability.
  package struct Reading: Sendable, Equatable {
    package var text: [UInt8]
    package var logProbability: Float
  }

  /// The strings that fit the grammar of serials, most probable first.
  package let readings: [Reading]

  /// Number of prefixes kept at each step, and of strings scored in full at the end.
  private static let beamWidth = 16
  private static let mostStrings = 10
  /// Probability of a character that the recogniser doesn't list because it is below 0.01.
  private static let floor: Float = 0.002
  /// Maximum number of time steps of a decoded value: fourteen wide characters.
  private static let mostSteps = 400
  /// Margin reported for a lattice with a single string.
  private static let marginOfSingle: Float = 30

  /// Decodes the steps of one value.
  ///
  /// - Parameter text: The recognised text of the value; scored with the others if it fits the grammar.
  package init(_ steps: [CharacterLattice.Step], readAs text: [UInt8]) {
    guard (1...Self.mostSteps).contains(steps.count) else {
      readings = []
      return
    }
    let folded = steps.map(Step.init)
    var strings = Self.beam(folded).prefix(Self.mostStrings).filter { SerialNumber($0) != nil }
    if SerialNumber(text) != nil, !strings.contains(text) { strings.append(text) }
    readings = strings.map { Reading(text: $0, logProbability: Self.logProbability(of: $0, in: folded)) }
      .sorted { $0.logProbability > $1.logProbability }
  }

  /// The lead of a text over the likeliest other string, as a natural logarithm. Negative if another string is
  /// likelier; nil if the lattice doesn't hold the text.
  package func margin(of text: [UInt8]) -> Float? {
    guard let own = readings.first(where: { $0.text == text }) else { return nil }
    guard let other = readings.first(where: { $0.text != text }) else { return Self.marginOfSingle }
    return own.logProbability - other.logProbability
  }

  /// Margin from which one reading is enough: of 306 such places on generated images 5 were wrong, against 7 of 273
  /// where three readings agree.
  private static let settledMargin: Float = 5

  /// Whether a text leads all other strings so far that no other reading is needed.
  package func settles(_ text: [UInt8]) -> Bool { margin(of: text) ?? -.infinity >= Self.settledMargin }

  /// One time step in the alphabet of serials.
  private struct Step {
    /// Natural logarithm of the probability of no character; spaces count as no character.
    var blank: Float
    /// Each listed character with the natural logarithm of its probability.
    var characters: [(byte: UInt8, log: Float)] = []

    init(_ choices: CharacterLattice.Step) {
      var none: Float = 0
      var sums: [(byte: UInt8, sum: Float)] = []
      for choice in choices {
        if choice.character == 0 || choice.character == UInt8(ascii: " ") {
          none += choice.probability
        } else if let byte = Self.folded(choice.character) {
          if let known = sums.firstIndex(where: { $0.byte == byte }) {
            sums[known].sum += choice.probability
          } else {
            sums.append((byte, choice.probability))
          }
        }
      }
      blank = logarithm(max(none, LatticeDecoder.floor))
      characters = sums.map { ($0.byte, logarithm(max($0.sum, LatticeDecoder.floor))) }
    }

    func log(of byte: UInt8) -> Float {
      characters.first { $0.byte == byte }?.log ?? Self.logOfFloor
    }

    private static let logOfFloor = logarithm(LatticeDecoder.floor)

    private static func folded(_ character: UInt8) -> UInt8? {
      character < 128 ? Confusions.folded(Character(UnicodeScalar(character)))?.byte : nil
    }
  }

  /// A prefix, with the logarithms of its probability with a trailing blank and without.
  private struct Prefix {
    var text: [UInt8]
    var blank: Float
    var open: Float

    var total: Float { sumOfLogs(blank, open) }
  }

  /// The likeliest strings of all lengths, most probable first.
  private static func beam(_ steps: [Step]) -> [[UInt8]] {
    var beams = [Prefix(text: [], blank: 0, open: -.infinity)]
    for step in steps {
      var next: [Prefix] = []
      next.reserveCapacity(beams.count * (step.characters.count + 1))
      var index: [[UInt8]: Int] = [:]
      func add(_ text: [UInt8], blank: Float, open: Float) {
        if let known = index[text] {
          next[known].blank = sumOfLogs(next[known].blank, blank)
          next[known].open = sumOfLogs(next[known].open, open)
        } else {
          index[text] = next.count
          next.append(Prefix(text: text, blank: blank, open: open))
        }
      }
      for prefix in beams {
        let total = prefix.total
        let repeated = prefix.text.last.map { prefix.open + step.log(of: $0) } ?? -.infinity
        add(prefix.text, blank: total + step.blank, open: repeated)
        for (byte, log) in step.characters {
          let before = prefix.text.last == byte ? prefix.blank : total
          add(prefix.text + [byte], blank: -.infinity, open: before + log)
        }
      }
      beams = Array(next.sorted { $0.total > $1.total }.prefix(beamWidth))
    }
    return beams.map(\.text)
  }

  /// The log-probability of a string over all alignments: the forward variable of connectionist temporal classification
  /// (CTC).
  private static func logProbability(of text: [UInt8], in steps: [Step]) -> Float {
    let states = 2 * text.count + 1
    func log(_ state: Int, _ step: Step) -> Float { state % 2 == 0 ? step.blank : step.log(of: text[state / 2]) }
    var forward = [Float](repeating: -.infinity, count: states)
    for (number, step) in steps.enumerated() {
      if number == 0 {
        for state in 0..<min(2, states) { forward[state] = log(state, step) }
        continue
      }
      // Goes from the last state to the first, so that each reads its predecessors' old values.
      for state in stride(from: states - 1, through: 0, by: -1) {
        var sum = forward[state]
        if state >= 1 { sum = sumOfLogs(sum, forward[state - 1]) }
        if state >= 3, state % 2 == 1, text[state / 2] != text[state / 2 - 1] {
          sum = sumOfLogs(sum, forward[state - 2])
        }
        forward[state] = sum + log(state, step)
      }
    }
    return states > 1 ? sumOfLogs(forward[states - 1], forward[states - 2]) : forward[0]
  }
}

/// The logarithm of the sum of two numbers, given their logarithms.
private func sumOfLogs(_ first: Float, _ second: Float) -> Float {
  let (greater, less) = (max(first, second), min(first, second))
  return less == -.infinity ? greater : greater + log1p(exp(less - greater))
}

/// The natural logarithm, for scopes in which a method named `log` shadows it.
private func logarithm(_ value: Float) -> Float { log(value) }

import Foundation
import SerialReading
import Testing
import TextReading

/// Steps of a lattice for a text: a blank, then each character with its probability and alternatives.
private func steps(
  _ text: String, _ probability: Float = 0.99, or others: [Int: [(Character, Float)]] = [:]
) -> [CharacterLattice.Step] {
  text.enumerated().flatMap { place, character -> [CharacterLattice.Step] in
    var choices = others[place, default: []].map { CharacterLattice.Choice($0.0.asciiValue ?? 255, $0.1) }
    let rest = choices.reduce(0) { $0 + $1.probability }
    choices.append(CharacterLattice.Choice(character.asciiValue ?? 255, probability - rest))
    return [[CharacterLattice.Choice(0, 0.99)], choices, [CharacterLattice.Choice(0, 0.99)]]
  }
}

private func decoder(_ steps: [CharacterLattice.Step], readAs text: String) -> LatticeDecoder {
  LatticeDecoder(steps, readAs: Array(text.utf8))
}

private let serial = "C02G414GMD6N"

/// Covers: the serials in a lattice, the lead of the likeliest, and the limits.
@Suite struct LatticeDecoderTests {
  @Test func clearLatticeSettlesText() {
    let decoder = decoder(steps(serial), readAs: serial)
    #expect(decoder.readings.first?.text == Array(serial.utf8))
    #expect(decoder.settles(Array(serial.utf8)))
  }

  @Test func ambiguousCharacterSettlesNothing() throws {
    let decoder = decoder(steps(serial, or: [7: [("C", 0.3)]]), readAs: serial)
    #expect(decoder.readings.prefix(2).map { String(decoding: $0.text, as: UTF8.self) } == [serial, "C02G414CMD6N"])
    let margin = try #require(decoder.margin(of: Array(serial.utf8)))
    #expect(abs(margin - log(Float(0.69 / 0.3))) < 0.1)
    #expect(!decoder.settles(Array(serial.utf8)))
  }

  @Test func formatDecidesBetweenEquallyLikelyTexts() {
    // No half-year is an A.
    let decoder = decoder(steps(serial, or: [3: [("A", 0.6)]]), readAs: serial)
    #expect(decoder.readings.first?.text == Array(serial.utf8))
    #expect(!decoder.readings.contains { $0.text == Array("C02A414GMD6N".utf8) })
  }

  @Test func foldsInvalidLookAlikes() {
    let decoder = decoder(steps("CO2G4l4GMD6N", or: [1: [("0", 0.4)]]), readAs: serial)
    #expect(decoder.readings.first?.text == Array(serial.utf8))
    #expect(decoder.settles(Array(serial.utf8)))
  }

  @Test func repeatedCharacterNeedsBlankBetween() {
    let text = "C02GG14GMD6N"
    #expect(decoder(steps(text), readAs: text).readings.first?.text == Array(text.utf8))
  }

  @Test func ignoresSpaces() {
    var spaced = steps(serial)
    spaced.insert([CharacterLattice.Choice(UInt8(ascii: " "), 0.99)], at: 0)
    #expect(decoder(spaced, readAs: serial).settles(Array(serial.utf8)))
  }

  @Test func doubtedTextRanksLower() throws {
    let other = "C02G414CMD6N"
    let margin = try #require(decoder(steps(serial), readAs: other).margin(of: Array(other.utf8)))
    #expect(margin < 0)
  }

  @Test func latticeIgnoresCutCharacters() {
    // Without the first two of twelve characters, the rest has the format of a serial.
    let part = "2G414GMD6N"
    #expect(decoder(steps(part), readAs: part).settles(Array(part.utf8)))
  }

  @Test func decodesNothingFromEmptyLattice() {
    #expect(decoder([], readAs: serial).readings.isEmpty)
    #expect(!decoder([], readAs: serial).settles(Array(serial.utf8)))
    let endless = Array(repeating: [CharacterLattice.Choice(0, 1)], count: 10_000)
    #expect(decoder(endless, readAs: serial).readings.isEmpty)
  }

  @Test func doesNotDecodeOtherText() {
    #expect(decoder(steps("HELLO"), readAs: "HELLO").readings.isEmpty)
  }
}

/// Covers: assigning the parts of a lattice to the symbols of its line.
@Suite struct CharacterLatticeTests {
  private let blank = [CharacterLattice.Choice(0, 1)]
  private func part(_ character: String) -> [CharacterLattice.Step] {
    [blank] + character.utf8.map { [CharacterLattice.Choice($0, 0.9), CharacterLattice.Choice(0, 0.1)] }
  }

  @Test func spaceBelongsToNextSymbol() throws {
    let lattice = try #require(CharacterLattice.assembled([part("A"), part(" "), part("B")], symbolCount: 2))
    #expect(lattice.symbols.map(\.count) == [2, 4])
    #expect(lattice.steps(of: 1..<2).count == 4 && lattice.steps(of: 0..<2).count == 6)
    #expect(lattice.steps(of: 1..<3).isEmpty)
  }

  @Test func rejectsMismatchedParts() {
    #expect(CharacterLattice.assembled([part("A"), part("B")], symbolCount: 3) == nil)
    #expect(CharacterLattice.assembled([], symbolCount: 1) == nil)
  }

  @Test func engineReportsAlternativesOfEachSymbol() throws {
    let line = try TextEngine().read(TenLs.cut)
    #expect(line.symbols.count >= 8)
    let lattice = try #require(line.lattice)
    #expect(lattice.symbols.count == line.symbols.count)
    for (symbol, steps) in zip(line.symbols, lattice.symbols) {
      #expect(steps.joined().contains { $0.character == symbol.character.asciiValue && $0.probability > 0.3 })
    }
  }

  @Test func engineOfOtherModelReportsNoAlternatives() throws {
    let second = try TextEngine(model: .second)
    #expect(second.read(TenLs.cut).lattice == nil)
  }
}

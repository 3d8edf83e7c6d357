import ScanModel
import SerialReading
import Testing
import TextReading

/// Covers: the report about each character of a serial, and sums of weights, which are the same in every run.
@Suite struct CharacterClarityTests {
  private static func tally(_ entries: (Character, Float)...) -> CharacterTally {
    entries.reduce(into: CharacterTally()) { $0.add($1.0.asciiValue ?? 0, $1.1) }
  }

  private static func clarity(_ tallies: [CharacterTally], strokes: [Int: [Float]] = [:]) -> [CharacterRead] {
    let text = Array("8JJJJJJJJJ".utf8)
    return CharacterClarity(
      text, margins: zip(tallies, text).map { $0.margin(of: $1) }, tallies: tallies, strokes: strokes
    ).reads
  }

  private static let clear = [CharacterTally](repeating: tally(("J", 5.2), ("J", 5.2), ("J", 5.2)), count: 9)

  @Test func clearCharacterHasNoAlternatives() throws {
    let reads = Self.clarity([Self.tally(("8", 5.2), ("8", 5.1), ("8", 5.2))] + Self.clear)
    #expect(reads.map(\.character).joined() == "8JJJJJJJJJ")
    #expect(reads.allSatisfy { $0.confidence > 0.98 && $0.alternatives.isEmpty })
  }

  @Test func alternativesComeFromOtherReadings() throws {
    let read = try #require(Self.clarity([Self.tally(("8", 3), ("B", 2.5), ("8", 3))] + Self.clear).first)
    #expect((0.5..<0.95).contains(read.confidence))
    #expect(read.alternatives.first?.character == "B")
    #expect(read.alternatives.count <= CharacterRead.mostAlternatives)
    #expect(read.alternatives.reduce(read.confidence) { $0 + $1.confidence } <= 1)
  }

  @Test func alternativesComeFromStrokesIfReadingsAgree() throws {
    let logs = GlyphModel.alphabet.map { byte -> Float in
      byte == UInt8(ascii: "S") ? -0.1 : byte == UInt8(ascii: "8") ? -2.5 : -8
    }
    let agreed = Self.tally(("8", 2), ("8", 2), ("8", 2))
    let read = try #require(Self.clarity([agreed] + Self.clear, strokes: [0: logs]).first)
    let unseen = try #require(Self.clarity([agreed] + Self.clear).first)
    #expect(read.confidence < unseen.confidence)
    #expect(read.alternatives.first?.character == "S")
  }

  @Test func sumIsIndependentOfOrder() {
    // The last bit of the sum depends on the order of the weights: only the order of reading is the same in every run.
    for seed in 0..<200 {
      var chance = Chance(state: UInt64(seed))
      let entries = "8B3S56".map { ($0, Float(5 * chance.next()) + 0.1) }
      let sum = entries.reduce(Float(0)) { $0 + $1.1 }
      let tally = entries.reduce(into: CharacterTally()) { $0.add($1.0.asciiValue ?? 0, $1.1) }
      #expect(tally.margin(of: UInt8(ascii: "8")) == (2 * entries[0].1 - sum) / 6)
    }
  }
}

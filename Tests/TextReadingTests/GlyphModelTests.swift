import Foundation
import Imaging
import Testing
import TextReading

/// Covers: the network for single characters, on drawn strokes as thick as those of a capital of 24 pixels.
@Suite struct GlyphModelTests {
  /// A line 60 pixels wide with rectangles of ink.
  private func line(_ strokes: [(x: Range<Int>, y: Range<Int>)]) -> GrayPicture {
    var pixels = [UInt8](repeating: 228, count: 60 * 44)
    for stroke in strokes { for y in stroke.y { for x in stroke.x { pixels[y * 60 + x] = 15 } } }
    return GrayPicture(width: 60, height: 44, pixels: pixels)
  }

  private func likeliest(_ columns: Range<Int>, _ strokes: [(x: Range<Int>, y: Range<Int>)]) throws -> Character {
    let model = try #require(GlyphModel.embedded)
    let logs = try #require(model.logProbabilities(of: columns, in: line(strokes)))
    let best = try #require(logs.indices.max { logs[$0] < logs[$1] })
    return Character(UnicodeScalar(GlyphModel.alphabet[best]))
  }

  @Test func recognizesPlainStrokes() throws {
    let height = 10..<34
    #expect(try likeliest(20..<36, [(20..<24, height), (20..<36, 30..<34)]) == "L")
    #expect(try likeliest(20..<38, [(27..<31, height), (20..<38, 10..<14)]) == "T")
    #expect(try likeliest(20..<38, [(20..<24, height), (34..<38, height), (20..<38, 20..<24)]) == "H")
    #expect(
      try likeliest(20..<35, [(20..<24, height), (20..<35, 10..<14), (20..<34, 20..<24), (20..<35, 30..<34)]) == "E")
  }

  @Test func probabilitiesAddUpToOne() throws {
    let model = try #require(GlyphModel.embedded)
    let logs = try #require(model.logProbabilities(of: 20..<36, in: line([(20..<24, 10..<34)])))
    #expect(logs.count == GlyphModel.alphabet.count)
    #expect(abs(logs.reduce(0) { $0 + exp($1) } - 1) < 0.001)
  }

  @Test func backgroundIsNotACharacter() throws {
    let model = try #require(GlyphModel.embedded)
    #expect(model.logProbabilities(of: 20..<36, in: line([])) == nil)
    #expect(model.logProbabilities(of: 20..<36, in: line([(22..<26, 20..<24)])) == nil)
  }
}

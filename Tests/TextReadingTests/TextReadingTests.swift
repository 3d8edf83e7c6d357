import CTesseractShortcuts
import Imaging
import Testing
import TextReading

// Covers: the embedded models, an invalid one, blank pictures, and the symbols of a line.

@Suite struct TextEngineTests {
  @Test func findsNoTextInBlankPictures() throws {
    let engine = try TextEngine()
    #expect(engine.read(GrayPicture(width: 2, height: 2, gray: 255)).symbols.isEmpty)
    let line = engine.read(GrayPicture(width: 200, height: 42, gray: 230))
    #expect(line.symbols.isEmpty)
  }

  @Test func startsWithoutAmbiguitiesOfLegacyRecogniser() {
    #expect(tesseract_starts_without_ambiguities())
  }

  @Test func everyReplacedFunctionTakesEffect() { #expect(TesseractHooks.broken.isEmpty) }

  @Test func passesLinesUncompressed() {
    #expect(tesseract_does_not_compress_lines())
  }

  @Test func ownLayersMatchThoseOfLibrary() throws {
    #expect(tesseract_layers_take_one_pass())
    // Both implementations read the first lines.
    let engine = try TextEngine()
    let stripes = (0..<42 * 200).map { UInt8(($0 % 200) / 7 % 2 == 0 ? 20 : 230) }
    _ = engine.read(GrayPicture(width: 200, height: 42, pixels: stripes))
    #expect(tesseract_layers_take_one_pass())
  }

  @Test func linesAreReadOnOneThread() { #expect(tesseract_reads_on_one_thread()) }

  @Test func clipsSymbolsThatReachOverNextWord() {
    let places = [(0, 12), (10, 22), (24, 90), (40, 52), (54, 66)]
    let symbols = places.map {
      Symbol(character: "N", confidence: 90, left: $0.0, right: $0.1, startsWord: false)
    }
    #expect(TextEngine.apart(symbols).map(\.right) == [12, 22, 40, 52, 66])
  }

  @Test func endsWordWhereNextOneBegins() {
    // The `8` of `V8 A` has the ink of the `A`, and the `V` that of both.
    let symbols = [(Character("V"), 370, 413), ("8", 482, 584), ("A", 469, 499)].map {
      Symbol(character: $0.0, confidence: 90, left: $0.1, right: $0.2, startsWord: $0.0 == "A")
    }
    let apart = TextEngine.apart(symbols)
    #expect(apart.map(\.left) == [370, 391, 469])
    #expect(apart.map(\.right) == [391, 413, 499])
  }

  @Test func putsSpacesBetweenWordsOnly() {
    let line = TextLine(symbols: [
      Symbol(character: "S", confidence: 90, left: 0, right: 10, startsWord: true),
      Symbol(character: "N", confidence: 80, left: 10, right: 20, startsWord: false),
      Symbol(character: "7", confidence: 70, left: 30, right: 40, startsWord: true),
    ])
    #expect(line.text == "SN 7")
    #expect(line.meanConfidence == 80)
  }
}

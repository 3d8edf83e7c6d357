import EmbeddedFiles
import Foundation
import Testing
import TextReading

/// Covers: the layers of the network for single characters, and files that are not a network.
@Suite struct NetworkTests {
  @Test func layerAddsWeightedInputsAndBias() {
    let layer = NetworkLayer(inputs: 2, outputs: 3, [1, 2, 3, 10, 20, 30, 0.5, -100, 0])
    #expect(layer.sums(of: [2, 1]) == [12.5, -76, 36])
    #expect(layer.sums(of: [2, 1], atLeast: 0) == [12.5, 0, 36])
  }

  /// Ten outputs are more than one batch of eight.
  @Test func outputsBeyondTheFirstEightAreSummedToo() {
    let weights = (0..<10).map { Float($0) }
    let layer = NetworkLayer(inputs: 1, outputs: 10, ArraySlice(weights + [Float](repeating: 1, count: 10)))
    let expected: [Float] = weights.map { 2 * $0 + 1 }
    #expect(layer.sums(of: [2]) == expected)
  }

  /// The sum of the middle of the window and twice its right neighbour.
  private let layer = NetworkLayer(inputs: 9, outputs: 1, [0, 0, 0, 0, 1, 2, 0, 0, 0, 0])

  @Test func convolutionPadsWithZeros() {
    let map = FeatureMap(width: 3, height: 2, channels: 1, values: [1, 2, 3, 4, 5, 6])
    let next = map.convolved(by: layer, stride: 1)
    #expect(next.width == 3 && next.height == 2 && next.channels == 1)
    #expect(next.values == [5, 8, 3, 14, 17, 6])
  }

  @Test func strideSkipsPlaces() {
    let map = FeatureMap(width: 4, height: 3, channels: 1, values: (1...12).map { Float($0) })
    let next = map.convolved(by: layer, stride: 2)
    #expect(next.width == 2 && next.height == 2)
    #expect(next.values == [5, 11, 29, 35])
  }

  @Test func rejectsFilesOfWrongSize() {
    let file = serialscan_embedded_glyph_model()
    let whole = Data(bytes: file.bytes, count: file.size)
    #expect(GlyphModel(whole) != nil)
    #expect(GlyphModel(whole.dropLast(2)) == nil)
    #expect(GlyphModel(whole + Data([0, 0])) == nil)
    #expect(GlyphModel(Data()) == nil)
    #expect(GlyphModel(Data([0, 0x7C, 0, 0x7C, 0, 0x7C, 0, 0x7C])) == nil)
  }
}

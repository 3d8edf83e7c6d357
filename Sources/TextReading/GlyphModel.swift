import EmbeddedFiles
import Foundation
import Imaging

/// Classifies single characters of serials with a small network of its own.
///
/// It is independent of the line recogniser, which confidently reads a `5` in typefaces that have a flat-topped `3`.
///
/// The network has three convolution layers over the darkness of 16 x 24 parts of a character's box, and one hidden
/// layer that also gets the box's proportions and height. It was trained on the same kind of lines as the recogniser
/// (`Tools/training`), segmented into characters as the reader segments them.
public struct GlyphModel: Sendable {
  /// The characters it knows, in order: those that occur in serials.
  public static let alphabet = Array("0123456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)

  private static let columns = 16
  private static let rows = 24
  /// Sampling points along each side of a part of the box.
  private static let samples = 2
  /// The stride of each convolution layer, in positions.
  private static let strides = [1, 2, 2]
  /// The darkness, 0...1, that maps to zero.
  private static let gray: Float = 0.35
  /// Rows above and below the line's middle that are searched for a character's ink, in pixels.
  private static let reach = 16
  /// The least height of ink in pixels for a piece to count as a character.
  private static let leastHeight = 10
  /// The greatest gray value of ink.
  private static let inkLevel: UInt8 = 127

  private let convolutions: [NetworkLayer]
  private let hidden: NetworkLayer
  private let outputs: NetworkLayer

  /// The model embedded in the binary; nil if the build is broken.
  public static let embedded: GlyphModel? = {
    let file = serialscan_embedded_glyph_model()
    return GlyphModel(Data(bytes: file.bytes, count: file.size))
  }()

  /// Loads a file written by `Tools/training/train_glyphs.py`; nil if its size does not match.
  ///
  /// The file holds little-endian 16-bit floats: the channel count of each convolution, the number of hidden units,
  /// then each layer's weights and biases.
  package init?(_ file: Data) {
    let values = stride(from: 0, to: file.count - 1, by: 2).map { start in
      Float(Float16(bitPattern: UInt16(file[file.startIndex + start]) | UInt16(file[file.startIndex + start + 1]) << 8))
    }
    let counts = values.prefix(Self.strides.count + 1).compactMap { Int(exactly: $0) }
    guard counts.count == Self.strides.count + 1, counts.allSatisfy((1...1024).contains) else { return nil }
    let channels = counts.dropLast()
    let places = Self.strides.reduce(Self.columns * Self.rows) { $0 / ($1 * $1) }
    let shapes =
      zip([1] + channels.dropLast(), channels).map { (FeatureMap.window * FeatureMap.window * $0, $1) }
      + [
        (places * counts[counts.count - 2] + 2, counts[counts.count - 1]),
        (counts[counts.count - 1], Self.alphabet.count),
      ]
    guard values.count == shapes.reduce(counts.count, { $0 + NetworkLayer.size(inputs: $1.0, outputs: $1.1) }) else {
      return nil
    }
    var rest = values[counts.count...]
    let layers = shapes.map { shape in
      defer { rest = rest.dropFirst(NetworkLayer.size(inputs: shape.0, outputs: shape.1)) }
      return NetworkLayer(inputs: shape.0, outputs: shape.1, rest)
    }
    (convolutions, hidden, outputs) = (Array(layers.dropLast(2)), layers[layers.count - 2], layers[layers.count - 1])
  }

  /// The log probability of each character of the alphabet for a piece of a line.
  ///
  /// - Parameters:
  ///   - columns: The columns of the piece.
  ///   - line: Dark on light, capitals about 24 pixels high and centred on the middle row.
  /// - Returns: Natural logarithms of probabilities; nil if there is too little ink.
  public func logProbabilities(of columns: Range<Int>, in line: GrayPicture) -> [Float]? {
    guard let (box, sizes) = Self.input(columns, line) else { return nil }
    let map = zip(convolutions, Self.strides).reduce(box) { $0.convolved(by: $1.0, stride: $1.1) }
    let scores = outputs.sums(of: hidden.sums(of: map.values + sizes, atLeast: 0))
    let greatest = scores.max() ?? 0
    let total = greatest + log(scores.reduce(0) { $0 + exp($1 - greatest) })
    return scores.map { $0 - total }
  }

  /// The darkness of the box's parts, and the box's proportions and height.
  private static func input(_ columns: Range<Int>, _ line: GrayPicture) -> (FeatureMap, [Float])? {
    let inked = line.rows(aroundMiddle: reach).filter { y in
      columns.contains { line[$0, y] <= inkLevel }
    }
    guard let top = inked.first, let bottom = inked.last, bottom - top + 1 >= leastHeight, !columns.isEmpty else {
      return nil
    }
    let box = PixelBox(columns: columns, rows: top..<bottom + 1)
    let darkness = line.means(of: box, across: Self.columns, down: rows, samples: samples).map {
      (255 - $0) / 255 - gray
    }
    let (width, height) = (Float(columns.count), Float(bottom - top + 1))
    return (
      FeatureMap(width: Self.columns, height: rows, channels: 1, values: darkness),
      [min(1, max(-2, log(width / height))), (height - 22) / 8]
    )
  }
}

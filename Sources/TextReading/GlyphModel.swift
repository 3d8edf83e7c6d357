import EmbeddedFiles
import Foundation
import Imaging

/// Tells single characters of serials apart by a small network of its own: an opinion that owes nothing to the recogniser of
/// lines, which is as sure of a `5` where a typeface has a flat-topped `3`.
///
/// Three layers of convolutions over the darkness of 16 x 24 parts of a character's box, and one hidden layer, which also knows
/// the box's proportions and height. It was trained on lines as the recogniser was trained on (`Tools/training`), cut into
/// characters as the reader cuts them.
public struct GlyphModel: Sendable {
  /// The characters it knows, in order: those of serials.
  public static let alphabet = Array("0123456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)

  private static let columns = 16
  private static let rows = 24
  /// Points a part of the box is the mean of, along each side.
  private static let samples = 2
  /// Places from one sum of a convolution to the next.
  private static let strides = [1, 2, 2]
  /// Darkness that counts as zero.
  private static let gray: Float = 0.35
  /// Rows above and below the line's middle in which a character's ink is looked for, in pixels.
  private static let reach = 16
  /// Height of ink in pixels from which a piece is a character.
  private static let leastHeight = 10
  /// Values up to which a pixel is ink.
  private static let inkLevel: UInt8 = 127

  private let convolutions: [NetworkLayer]
  private let hidden: NetworkLayer
  private let outputs: NetworkLayer

  /// The one inside the binary; nil where the build went wrong.
  public static let embedded: GlyphModel? = {
    let file = serialscan_embedded_glyph_model()
    return GlyphModel(Data(bytes: file.bytes, count: file.size))
  }()

  /// Takes a file of `Tools/training/train_glyphs.py`: the convolutions' numbers of channels and the number of hidden units, then
  /// each layer's weights and biases, as little-endian 16-bit floats; nil where it has another size.
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

  /// How likely a piece of a line is each character of the alphabet.
  ///
  /// - Parameters:
  ///   - columns: Where the piece stands.
  ///   - line: Dark on light, capitals about 24 pixels high, its middle row that of the capitals.
  /// - Returns: Natural logarithms of probabilities; nil where there is hardly ink.
  public func logProbabilities(of columns: Range<Int>, in line: GrayPicture) -> [Float]? {
    guard let (box, sizes) = Self.input(columns, line) else { return nil }
    let map = zip(convolutions, Self.strides).reduce(box) { $0.convolved(by: $1.0, stride: $1.1) }
    let scores = outputs.sums(of: hidden.sums(of: map.values + sizes, atLeast: 0))
    let greatest = scores.max() ?? 0
    let total = greatest + log(scores.reduce(0) { $0 + exp($1 - greatest) })
    return scores.map { $0 - total }
  }

  /// The darkness of the box's parts, and its proportions and height.
  private static func input(_ columns: Range<Int>, _ line: GrayPicture) -> (FeatureMap, [Float])? {
    let middle = line.height / 2
    let inked = (max(0, middle - reach)..<min(line.height, middle + reach)).filter { y in
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

import EmbeddedFiles
import Foundation
import Imaging

/// Tells single characters of serials apart by a small network of its own: an opinion that owes nothing to the recogniser of
/// lines, which is as sure of a `5` where a typeface has a flat-topped `3`.
///
/// One hidden layer over the darkness of 12 x 16 parts of a character's box, its proportions and its height. It was trained on
/// the lines that the recogniser was trained on (`Tools/training`), cut into characters as the reader cuts them.
public struct GlyphModel: Sendable {
  /// The characters it knows, in order: those of serials.
  public static let alphabet = Array("0123456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)

  private static let columns = 12
  private static let rows = 16
  private static let inputs = columns * rows + 2
  /// Points a part of the box is the mean of, along each side.
  private static let samples = 3
  /// Rows above and below the line's middle in which a character's ink is looked for, in pixels.
  private static let reach = 16
  /// Height of ink in pixels from which a piece is a character.
  private static let leastHeight = 10
  /// Values up to which a pixel is ink.
  private static let inkLevel: UInt8 = 127

  /// Each hidden unit's weights with its bias after them; then each output's.
  private let hidden: [[Float]]
  private let outputs: [[Float]]

  /// The one inside the binary; nil where the build went wrong.
  public static let embedded: GlyphModel? = {
    let file = serialscan_embedded_glyph_model()
    return GlyphModel(Data(bytes: file.bytes, count: file.size))
  }()

  /// Takes a file of `Tools/training/train_glyphs.py`: the number of hidden units, then the layers' weights, as
  /// little-endian 32-bit floats; nil where it has another size.
  init?(_ file: Data) {
    let values = stride(from: 0, to: file.count - 3, by: 4).map { start in
      Float(
        bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(file[file.startIndex + start + $1]) << (8 * UInt32($1)) })
    }
    guard let units = values.first.map({ Int($0) }), (1...1024).contains(units),
      values.count == 1 + units * (Self.inputs + 1) + Self.alphabet.count * (units + 1)
    else { return nil }
    func layer(from start: Int, units: Int, width: Int) -> [[Float]] {
      (0..<units).map { Array(values[start + $0 * width..<start + ($0 + 1) * width]) }
    }
    hidden = layer(from: 1, units: units, width: Self.inputs + 1)
    outputs = layer(from: 1 + units * (Self.inputs + 1), units: Self.alphabet.count, width: units + 1)
  }

  /// How likely a piece of a line is each character of the alphabet.
  ///
  /// - Parameters:
  ///   - columns: Where the piece stands.
  ///   - line: Dark on light, capitals about 24 pixels high, its middle row that of the capitals.
  /// - Returns: Natural logarithms of probabilities; nil where there is hardly ink.
  public func logProbabilities(of columns: Range<Int>, in line: GrayPicture) -> [Float]? {
    guard let input = Self.input(columns, line) else { return nil }
    let middle = hidden.map { max(0, Self.sum($0, input)) }
    let scores = outputs.map { Self.sum($0, middle) }
    let greatest = scores.max() ?? 0
    let total = greatest + log(scores.reduce(0) { $0 + exp($1 - greatest) })
    return scores.map { $0 - total }
  }

  private static func sum(_ weights: [Float], _ values: [Float]) -> Float {
    var sum = weights[values.count]
    for index in values.indices { sum += weights[index] * values[index] }
    return sum
  }

  private static func input(_ columns: Range<Int>, _ line: GrayPicture) -> [Float]? {
    let middle = line.height / 2
    let inked = (max(0, middle - reach)..<min(line.height, middle + reach)).filter { y in
      columns.contains { line[$0, y] <= inkLevel }
    }
    guard let top = inked.first, let bottom = inked.last, bottom - top + 1 >= leastHeight, !columns.isEmpty else {
      return nil
    }
    let box = PixelBox(columns: columns, rows: top..<bottom + 1)
    var input = line.means(of: box, across: Self.columns, down: rows, samples: samples).map { (255 - $0) / 255 - 0.35 }
    let (width, height) = (Float(columns.count), Float(bottom - top + 1))
    input.append(min(1, max(-2, log(width / height))))
    input.append((height - 22) / 8)
    return input
  }
}

import Imaging

/// Measures how far the letters of a line's crop lean, as they do in photos taken at an angle. Upright strokes fill few
/// columns, leaning strokes many.
package enum Shear {
  /// Shears that are tried (horizontal shift per row), and the least worth another crop: the recogniser reads smaller
  /// ones.
  private static let steps = stride(from: -0.5, through: 0.5, by: 0.05)
  private static let least = 0.15
  /// Minimum relative growth of the sum of squared column ink per unit of shear. It is about 0.05 for noise or letters
  /// such as `V` and `7`, and at least 0.14 in 95 % of lines that lean by 0.2 or more.
  private static let leastGrowth = 0.12
  /// Darkness below which a pixel is background, 0...255.
  private static let ground: UInt8 = 60

  /// The shear of a dark-on-light line; 0 if its letters are upright.
  package static func of(_ line: GrayPicture) -> Double {
    let ink = line.pixels.map { 255 - $0 >= ground ? Int32(255 - $0) : 0 }
    let upright = concentration(of: ink, in: line, at: 0)
    let best = steps.map { (shear: $0, ink: concentration(of: ink, in: line, at: $0)) }.max { $0.ink < $1.ink }
    guard let best, abs(best.shear) >= least - 0.01, best.ink > (1 + leastGrowth * abs(best.shear)) * upright
    else { return 0 }
    return best.shear
  }

  /// The sum of the squared ink of each column, after shearing the line back.
  private static func concentration(of ink: [Int32], in line: GrayPicture, at shear: Double) -> Double {
    let (width, height) = (line.width, line.height)
    var columns = [Int32](repeating: 0, count: width + height + 2)
    ink.withUnsafeBufferPointer { ink in
      columns.withUnsafeMutableBufferPointer { columns in
        for y in 0..<height {
          let shift = Int((Double(height) / 2 - shear * (Double(y) - Double(height) / 2)).rounded())
          for x in 0..<width { columns[x &+ shift] &+= ink[y &* width &+ x] }
        }
      }
    }
    return columns.reduce(0) { $0 + Double($1) * Double($1) }
  }
}

import Imaging

/// How far the letters of a cut line lean along it, as they do in photos that are taken from the side and turned: upright strokes stand in few
/// columns, leaning ones in many.
package enum Shear {
  /// Shears that are tried, as steps along the line for each step down, and the least that is worth another cut: what the recogniser has seen leans less.
  private static let steps = stride(from: -0.5, through: 0.5, by: 0.05)
  private static let least = 0.15
  /// By how much the squares of the columns' ink must grow for each step of shear: where noise or letters such as `V` and `7` lean one way, they
  /// grow by 0.05 of it; where letters lean by 0.2 or more, by 0.14 at least, nineteen times in twenty.
  private static let leastGrowth = 0.12
  /// Darkness below which a pixel is ground, 0...255.
  private static let ground: UInt8 = 60

  /// The shear of a line that is dark on light; 0 where its letters stand upright.
  package static func of(_ line: GrayPicture) -> Double {
    let upright = concentration(of: line, at: 0)
    let best = steps.map { (shear: $0, ink: concentration(of: line, at: $0)) }.max { $0.ink < $1.ink }
    guard let best, abs(best.shear) >= least - 0.01, best.ink > (1 + leastGrowth * abs(best.shear)) * upright
    else { return 0 }
    return best.shear
  }

  /// The sum of the squares of the ink in each column, once the line is sheared back.
  private static func concentration(of line: GrayPicture, at shear: Double) -> Double {
    let (width, height) = (line.width, line.height)
    var columns = [Int32](repeating: 0, count: width + height + 2)
    line.pixels.withUnsafeBufferPointer { pixels in
      columns.withUnsafeMutableBufferPointer { columns in
        for y in 0..<height {
          let shift = Int((Double(height) / 2 - shear * (Double(y) - Double(height) / 2)).rounded())
          for x in 0..<width {
            let darkness = 255 - pixels[y &* width &+ x]
            if darkness >= ground { columns[x &+ shift] &+= Int32(darkness) }
          }
        }
      }
    }
    return columns.reduce(0) { $0 + Double($1) * Double($1) }
  }
}

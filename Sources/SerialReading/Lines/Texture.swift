import Imaging

extension GrayPicture {
  /// Whether a cut line is texture and not print: noise, cloth, brushed metal, edges, bars of a code that lies across.
  package var isTexture: Bool { isGray || isStriped }

  /// Whether all parts of a cut are gray.
  ///
  /// Print that is cut and stretched is dark strokes on bright ground, with little between; texture stretched alike is gray. A line may run
  /// on into texture, so that no part of it must be print. Of 4,568 cuts of generated pictures of both families that the recogniser was
  /// sure of (95 of 100 or more), 2 are as gray as this; of those that it made nothing of (below 88) half, which saves reading them.
  private var isGray: Bool {
    let parts = max(1, Int((Double(width) / Texture.partWidth).rounded()))
    return (0..<parts).allSatisfy { part in
      let columns = width * part / parts..<width * (part + 1) / parts
      return Double(grayPixels(in: columns)) > Texture.leastShareOfGray * Double(columns.count * height)
    }
  }

  private func grayPixels(in columns: Range<Int>) -> Int {
    (0..<height).reduce(0) { sum, y in
      let row = pixels[y * width + columns.lowerBound..<y * width + columns.upperBound]
      return row.reduce(sum) { $0 + (Texture.grays.contains($1) ? 1 : 0) }
    }
  }

  /// Whether a cut changes as much down its columns as along its rows, in all but a few rows.
  ///
  /// Letters are stems first of all. What runs along the line, a table's rule or the edge of a label, changes a few rows only, and
  /// these are left out. Of some 8,000 cuts that were not gray and that the recogniser was sure of, one is as striped as this; of the 2,000
  /// that it made nothing of one in five.
  private var isStriped: Bool {
    guard width > 1, height > Texture.rowsOfRules else { return false }
    var across = 0
    var down = [Int](repeating: 0, count: height - 1)
    pixels.withUnsafeBufferPointer { pixels in
      for y in down.indices {
        for at in y &* width..<(y &+ 1) &* width &- 1 {
          let here = Int(pixels[at])
          across &+= abs(Int(pixels[at &+ 1]) &- here)
          down[y] &+= abs(Int(pixels[at &+ width]) &- here)
        }
      }
    }
    let even = down.sorted().prefix(down.count * 3 / 4).reduce(0, +)
    return Double(even) > Texture.mostStriped * Double(across)
  }
}

private enum Texture {
  /// Neither stroke (about 10) nor ground (about 230).
  static let grays: ClosedRange<UInt8> = 91...189
  /// Share of such pixels from which a part of a cut is texture, 0...1.
  static let leastShareOfGray = 0.53
  /// Width of a part, in pixels: that of a serial.
  static let partWidth = 240.0
  /// Change down the columns for each along the rows, above which a cut is stripes.
  static let mostStriped = 0.85
  /// Height of a cut, in pixels, below which rules would be most of it.
  static let rowsOfRules = 12
}

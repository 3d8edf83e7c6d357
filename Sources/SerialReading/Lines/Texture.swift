import Imaging

extension GrayPicture {
  /// Whether a cut line is texture and not print: noise, cloth, brushed metal, edges.
  ///
  /// Print that is cut and stretched is dark strokes on bright ground, with little between; texture stretched alike is gray. A line may run
  /// on into texture, so that no part of it must be print. Of 4,568 cuts of generated pictures of both families that the recogniser was
  /// sure of (95 of 100 or more), 2 are as gray as this; of those that it made nothing of (below 88) half, which saves reading them.
  package var isTexture: Bool {
    let parts = max(1, Int((Double(width) / Texture.partWidth).rounded()))
    return (0..<parts).allSatisfy { part in
      let columns = width * part / parts..<width * (part + 1) / parts
      return Double(grayPixels(in: columns)) > Texture.leastShare * Double(columns.count * height)
    }
  }

  private func grayPixels(in columns: Range<Int>) -> Int {
    (0..<height).reduce(0) { sum, y in
      let row = pixels[y * width + columns.lowerBound..<y * width + columns.upperBound]
      return row.reduce(sum) { $0 + (Texture.grays.contains($1) ? 1 : 0) }
    }
  }
}

private enum Texture {
  /// Neither stroke (about 10) nor ground (about 230).
  static let grays: ClosedRange<UInt8> = 91...189
  /// Share of such pixels from which a part of a cut is texture, 0...1.
  static let leastShare = 0.53
  /// Width of a part, in pixels: that of a serial.
  static let partWidth = 240.0
}

import Imaging

extension GrayPicture {
  /// Whether a cut line is texture and not print: noise, cloth, brushed metal, edges.
  ///
  /// Print that is cut and stretched is dark strokes on bright ground, with little between; texture stretched alike is gray. Of 4,568
  /// cuts of generated pictures of both families that the recogniser was sure of (95 of 100 or more), 3 are as gray as this; of those
  /// that it made nothing of (below 88) more than half, which saves reading them.
  package var isTexture: Bool {
    let gray = pixels.reduce(0) { $0 + (Texture.grays.contains($1) ? 1 : 0) }
    return Double(gray) > Texture.leastShare * Double(pixels.count)
  }
}

private enum Texture {
  /// Neither stroke (about 10) nor ground (about 230).
  static let grays: ClosedRange<UInt8> = 91...189
  /// Share of such pixels from which a cut is texture, 0...1.
  static let leastShare = 0.54
}

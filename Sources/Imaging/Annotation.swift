import CLeptonica

/// Marks to draw into a photo.
public struct Mark: Sendable {
  /// Four corners in coordinates of the photo as uploaded, in order around the text.
  public var corners: [(x: Double, y: Double)]
  /// Text to write beside it.
  public var label: String
  /// Red, green and blue, 0...255.
  public var color: (red: UInt8, green: UInt8, blue: UInt8)

  /// Creates a mark.
  public init(corners: [(x: Double, y: Double)], label: String, color: (red: UInt8, green: UInt8, blue: UInt8)) {
    self.corners = corners
    self.label = label
    self.color = color
  }
}

extension EncodedPicture {
  /// Draws marks into the photo, upright and reduced to at most `longestSide` pixels, and writes it as PNG.
  ///
  /// - Returns: Whether the file could be written.
  /// - Throws: `PictureError`, as decoding does.
  public func writeAnnotated(
    _ marks: [Mark], to path: String, pixelLimit: Int, longestSide: Int = 1600
  ) throws(PictureError) -> Bool {
    let stored = try color(pixelLimit: pixelLimit)
    let factor = min(1, Double(longestSide) / Double(max(stored.width, stored.height)))
    let reduced = factor < 1 ? Pix { pixScale(stored.pointer, Float(factor), Float(factor)) } : stored
    guard let reduced, let upright = isTurnedByDecoder ? reduced : reduced.turnedUpright(orientation),
      let back = uploadedFromUpright(width: upright.width, height: upright.height).inverse
    else { return false }
    for mark in marks { upright.draw(mark, back) }
    return pixWrite(path, upright.pointer, Int32(IFF_PNG)) == 0
  }

  private func uploadedFromUpright(width: Int, height: Int) -> PixelTransform {
    let swap = orientation.swapsSides
    let grow = PixelTransform.scale(
      Double(swap ? header.height : header.width) / Double(width),
      Double(swap ? header.width : header.height) / Double(height))
    return header.format == .heic
      ? grow : grow.then(orientation.storedFromUpright(width: header.width, height: header.height))
  }
}

extension Pix {
  fileprivate func turnedUpright(_ orientation: Orientation) -> Pix? {
    let turns: Int32 =
      switch orientation {
      case .up, .upMirrored: 0
      case .right, .leftMirrored: 1
      case .down, .downMirrored: 2
      case .left, .rightMirrored: 3
      }
    let turned = turns == 0 ? Pix { pixCopy(nil, pointer) } : Pix { pixRotateOrth(pointer, turns) }
    switch orientation {
    case .upMirrored, .leftMirrored, .downMirrored, .rightMirrored:
      return turned.flatMap { turned in Pix { pixFlipLR(nil, turned.pointer) } }
    default: return turned
    }
  }

  fileprivate func draw(_ mark: Mark, _ transform: PixelTransform) {
    guard var points = ptaCreate(Int32(mark.corners.count)) as UnsafeMutablePointer<PTA>? else { return }
    var left = Double(width)
    var bottom = 0.0
    for corner in mark.corners {
      let place = transform.apply(corner.x, corner.y)
      ptaAddPt(points, Float(place.x), Float(place.y))
      left = min(left, place.x)
      bottom = max(bottom, place.y)
    }
    pixRenderPolylineArb(pointer, points, 3, mark.color.red, mark.color.green, mark.color.blue, 1)
    withUnsafeMutablePointer(to: &points) { holder in
      holder.withMemoryRebound(to: UnsafeMutablePointer<PTA>?.self, capacity: 1) { ptaDestroy($0) }
    }
    var font = bmfCreate(nil, 20)
    guard font != nil else { return }
    let color = UInt32(mark.color.red) << 24 | UInt32(mark.color.green) << 16 | UInt32(mark.color.blue) << 8
    let x = Int32(max(0, min(left, Double(width) - 200)))
    let y = Int32(max(24, min(bottom + 26, Double(height) - 4)))
    pixSetTextline(pointer, font, mark.label, color, x, y, nil, nil)
    bmfDestroy(&font)
  }
}

import CLeptonica

/// A mark to draw into a photo.
public struct Mark: Sendable {
  /// The four corners of the marked text in pixels of the photo as uploaded, in order around the text.
  public var corners: [PlanePoint]
  /// The text to write next to the frame.
  public var label: String
  /// Red, green and blue, 0...255.
  public var color: (red: UInt8, green: UInt8, blue: UInt8)

  /// Creates a mark.
  public init(corners: [PlanePoint], label: String, color: (red: UInt8, green: UInt8, blue: UInt8)) {
    self.corners = corners
    self.label = label
    self.color = color
  }
}

extension EncodedPicture {
  /// The most pixels of the longer side of an annotated photo.
  private static let longestAnnotatedSide = 1600

  /// Draws marks into the upright photo, reduced to at most 1600 pixels a side, and encodes it as PNG.
  ///
  /// - Returns: The PNG file; nil if memory ran out.
  /// - Throws: `PictureError`, as decoding does.
  public func annotatedPNG(_ marks: [Mark], pixelLimit: Int) throws(PictureError) -> [UInt8]? {
    let stored = try color(pixelLimit: pixelLimit)
    guard let reduced = stored.reduced(toSide: Self.longestAnnotatedSide),
      let upright = isTurnedByDecoder ? reduced : reduced.turnedUpright(orientation),
      let back = uploadedFromUpright(width: upright.width, height: upright.height).inverse
    else { return nil }
    for mark in marks { upright.draw(mark, back) }
    return upright.encoded { pixWriteMemPng($0, $1, $2, 0) }
  }
}

extension Pix {
  func turnedUpright(_ orientation: Orientation) -> Pix? {
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
    let corners = Self.padded(mark.corners.map(transform.apply))
    guard !corners.isEmpty, var points = ptaCreate(Int32(corners.count)) as UnsafeMutablePointer<PTA>? else { return }
    for corner in corners { ptaAddPt(points, Float(corner.x), Float(corner.y)) }
    let line = Int32(max(2, max(width, height) / 500))
    pixRenderPolylineArb(pointer, points, line, mark.color.red, mark.color.green, mark.color.blue, 1)
    withUnsafeMutablePointer(to: &points) { holder in
      holder.withMemoryRebound(to: UnsafeMutablePointer<PTA>?.self, capacity: 1) { ptaDestroy($0) }
    }
    write(mark, around: corners)
  }

  /// Moves the corners outwards along the text, so that the frame clears its first and last character.
  private static func padded(_ corners: [PlanePoint]) -> [PlanePoint] {
    guard corners.count == 4 else { return corners }
    let along = corners[1] - corners[0]
    guard along.length > 0 else { return corners }
    let out = along * ((corners[3] - corners[0]).length / along.length) * 0.1
    return [corners[0] - out, corners[1] + out, corners[2] + out, corners[3] - out]
  }

  /// Writes the label on a light ground above the frame, or below it if there is no room above.
  private func write(_ mark: Mark, around corners: [PlanePoint]) {
    guard !mark.label.isEmpty else { return }
    // Leptonica's fonts come in even sizes from 4 to 20 points, at 300 dots per inch: 4 pixels a point.
    let points = Int32(min(14, max(6, max(width, height) / 200 * 2)))
    var font = bmfCreate(nil, points)
    guard font != nil else { return }
    defer { bmfDestroy(&font) }
    var across: Int32 = 0
    bmfGetStringWidth(font, mark.label, &across)
    let high = points * 4
    let left = corners.map(\.x).min() ?? 0
    let top = corners.map(\.y).min() ?? 0
    let bottom = corners.map(\.y).max() ?? 0
    let x = Int32(max(4, min(left, Double(width) - Double(across) - 8)))
    let above = Int32(top) - high / 2
    let base = above > high ? above : min(Int32(bottom) + high + high / 2, Int32(height) - 8)
    var ground = boxCreate(x - 4, base - high, across + 8, high + high / 3)
    pixBlendInRect(pointer, ground, 0xFFFF_FF00, 0.8)
    boxDestroy(&ground)
    let color = UInt32(mark.color.red) << 24 | UInt32(mark.color.green) << 16 | UInt32(mark.color.blue) << 8
    pixSetTextline(pointer, font, mark.label, color, x, base, nil, nil)
  }
}

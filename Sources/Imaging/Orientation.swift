/// How stored pixels must be turned to be upright. The raw values are those of EXIF tag 0x0112.
public enum Orientation: Int, Sendable, CaseIterable {
  /// Stored upright.
  case up = 1
  /// Mirrored left to right.
  case upMirrored = 2
  /// Turned by 180 degrees.
  case down = 3
  /// Mirrored top to bottom.
  case downMirrored = 4
  /// Mirrored along the main diagonal.
  case leftMirrored = 5
  /// Needs turning clockwise by 90 degrees.
  case right = 6
  /// Mirrored along the other diagonal.
  case rightMirrored = 7
  /// Needs turning anticlockwise by 90 degrees.
  case left = 8

  /// Whether turning upright swaps width and height.
  public var swapsSides: Bool { rawValue >= 5 }

  /// The transform from upright coordinates to those of a stored picture of `width` x `height` pixels.
  public func storedFromUpright(width: Int, height: Int) -> PixelTransform {
    let w = Double(width)
    let h = Double(height)
    return switch self {
    case .up: .identity
    case .upMirrored: PixelTransform(xx: -1, xy: 0, yx: 0, yy: 1, dx: w, dy: 0)
    case .down: PixelTransform(xx: -1, xy: 0, yx: 0, yy: -1, dx: w, dy: h)
    case .downMirrored: PixelTransform(xx: 1, xy: 0, yx: 0, yy: -1, dx: 0, dy: h)
    case .leftMirrored: PixelTransform(xx: 0, xy: 1, yx: 1, yy: 0, dx: 0, dy: 0)
    case .right: PixelTransform(xx: 0, xy: 1, yx: -1, yy: 0, dx: 0, dy: h)
    case .rightMirrored: PixelTransform(xx: 0, xy: -1, yx: -1, yy: 0, dx: w, dy: h)
    case .left: PixelTransform(xx: 0, xy: -1, yx: 1, yy: 0, dx: w, dy: 0)
    }
  }

  /// The index of the stored pixel that becomes the upright picture's first, and the index steps to its right and lower
  /// neighbours.
  func storageSteps(width w: Int, height h: Int, stride: Int) -> (start: Int, across: Int, down: Int) {
    switch self {
    case .up: (0, 1, stride)
    case .upMirrored: (w - 1, -1, stride)
    case .down: ((h - 1) * stride + w - 1, -1, -stride)
    case .downMirrored: ((h - 1) * stride, 1, -stride)
    case .leftMirrored: (0, stride, 1)
    case .right: ((h - 1) * stride, -stride, 1)
    case .rightMirrored: ((h - 1) * stride + w - 1, -stride, -1)
    case .left: (w - 1, stride, -1)
    }
  }
}

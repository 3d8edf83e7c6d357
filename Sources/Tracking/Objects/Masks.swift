/// The pixels of a frame that belong to an object.
public struct Mask: Sendable, Equatable {
  /// Width in pixels.
  public let width: Int
  /// Height in pixels.
  public let height: Int
  /// `width * height` bytes, row after row: 1 for the object, 0 for the background.
  public let bytes: [UInt8]

  /// Creates a mask of the inside of a quadrilateral, in pixels of the mask.
  public init(width: Int, height: Int, filling quad: Quadrilateral) {
    self.width = width
    self.height = height
    var bytes = [UInt8](repeating: 0, count: width * height)
    for y in 0..<height {
      guard let (left, right) = quad.span(atHeight: Double(y) + 0.5) else { continue }
      // A pixel belongs to the object if its centre does.
      let first = Int(clampedTo((left - 0.5).rounded(.up), 0...Double(width)))
      let last = Int(clampedTo((right - 0.5).rounded(.down) + 1, 0...Double(width)))
      for x in first..<max(first, last) { bytes[y * width + x] = 1 }
    }
    self.bytes = bytes
  }

  /// Scales a coarse mask of a box to the size of a frame.
  init(width: Int, height: Int, box: Box, coarse: [Bool], columns: Int, rows: Int) {
    self.width = width
    self.height = height
    var bytes = [UInt8](repeating: 0, count: width * height)
    let (left, right) = (Int(clampedTo(box.x0, 0...Double(width))), Int(clampedTo(box.x1, 0...Double(width))))
    let (top, bottom) = (Int(clampedTo(box.y0, 0...Double(height))), Int(clampedTo(box.y1, 0...Double(height))))
    for y in top..<max(top, bottom) {
      let row = min(rows - 1, max(0, Int((Double(y) + 0.5 - box.y0) / max(1, box.height) * Double(rows))))
      for x in left..<max(left, right) {
        let column = min(columns - 1, max(0, Int((Double(x) + 0.5 - box.x0) / max(1, box.width) * Double(columns))))
        if coarse[row * columns + column] { bytes[y * width + x] = 1 }
      }
    }
    self.bytes = bytes
  }
}

extension Quadrilateral {
  /// The x coordinates where a horizontal line enters and leaves it; nil if they don't meet.
  fileprivate func span(atHeight y: Double) -> (Double, Double)? {
    var (left, right) = (Double.infinity, -Double.infinity)
    for index in 0..<4 {
      let (a, b) = (corners[index], corners[(index + 1) % 4])
      guard (a.y <= y) != (b.y <= y) else { continue }
      let x = a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x)
      left = min(left, x)
      right = max(right, x)
    }
    return left <= right ? (left, right) : nil
  }
}

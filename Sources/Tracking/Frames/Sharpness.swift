extension TrackingFrame {
  /// The fine detail in a part of the frame: the mean squared Laplacian of its brightness. 0 for an even part, lower
  /// the more blurred the frame. Not comparable across objects or sizes.
  ///
  /// - Parameter box: The part, in pixels of the frame as sent.
  public func sharpness(inside box: Box) -> Double {
    let (from, to) = (pixel(ofPlace: SIMD2(box.x0, box.y0)), pixel(ofPlace: SIMD2(box.x1, box.y1)))
    return detail(inside: Box(x0: from.x, y0: from.y, x1: to.x, y1: to.y))
  }

  /// The same for a box in this frame's own pixels.
  func detail(inside box: Box) -> Double {
    let (from, to) = (SIMD2(box.x0, box.y0), SIMD2(box.x1, box.y1))
    let left = Int(clampedTo(from.x.rounded(.up), 1...Double(max(1, width - 1))))
    let right = Int(clampedTo(to.x.rounded(.down), 1...Double(max(1, width - 1))))
    let top = Int(clampedTo(from.y.rounded(.up), 1...Double(max(1, height - 1))))
    let bottom = Int(clampedTo(to.y.rounded(.down), 1...Double(max(1, height - 1))))
    guard right > left, bottom > top else { return 0 }
    var sum = 0
    gray.withUnsafeBufferPointer { values in
      for y in top..<bottom {
        let row = y &* width
        for x in left..<right {
          let place = row &+ x
          let around =
            Int(values[place &- 1]) &+ Int(values[place &+ 1]) &+ Int(values[place &- width])
            &+ Int(values[place &+ width])
          let bend = 4 &* Int(values[place]) &- around
          sum &+= bend &* bend
        }
      }
    }
    return Double(sum) / Double((right - left) * (bottom - top))
  }
}

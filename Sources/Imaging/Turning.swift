extension GrayPicture {
  /// Turns clockwise by 90 degrees: the pixel at (x, y) moves to (height - 1 - y, x).
  public func turnedClockwise() -> GrayPicture { rearranged(.right) }

  /// Turns by 180 degrees.
  public func turnedUpsideDown() -> GrayPicture { rearranged(.down) }

  /// Turns upright a picture whose pixels are stored with the given orientation.
  public func upright(from orientation: Orientation) -> GrayPicture {
    orientation == .up ? self : rearranged(orientation)
  }

  /// Moves every pixel as the orientation requires.
  ///
  /// Works in tiles, so that a transposition does not stride through memory by whole rows on either side.
  private func rearranged(_ orientation: Orientation) -> GrayPicture {
    if orientation == .down { return reversed() }
    let outWidth = orientation.swapsSides ? height : width
    let outHeight = orientation.swapsSides ? width : height
    let (start, stepX, stepY) = orientation.storageSteps(width: width, height: height, stride: width)
    let tile = 64
    return GrayPicture(width: outWidth, height: outHeight) { out in
      pixels.withUnsafeBufferPointer { source in
        for top in stride(from: 0, to: outHeight, by: tile) {
          for left in stride(from: 0, to: outWidth, by: tile) {
            for y in top..<min(top + tile, outHeight) {
              var from = start &+ y &* stepY &+ left &* stepX
              for x in left..<min(left + tile, outWidth) {
                out[y &* outWidth &+ x] = source[from]
                from = from &+ stepX
              }
            }
          }
        }
      }
    }
  }

  /// The pixels in reverse order, in a loop that compilers vectorise.
  private func reversed() -> GrayPicture {
    let last = pixels.count - 1
    return GrayPicture(width: width, height: height) { out in
      pixels.withUnsafeBufferPointer { source in
        for index in 0..<out.count { out[index] = source[last &- index] }
      }
    }
  }

  /// Rotates about the centre by an angle (radians, clockwise as seen), on a canvas that holds the whole result.
  ///
  /// Pixels from outside repeat the edge. Sampling is bilinear.
  ///
  /// - Returns: The rotated picture, and the transform from its coordinates to those of this one.
  public func rotated(by angle: Double) -> (picture: GrayPicture, back: PixelTransform) {
    let (c, s) = (cosine(angle), sine(angle))
    let outWidth = max(1, Int(Double(width) * abs(c) + Double(height) * abs(s)))
    let outHeight = max(1, Int(Double(width) * abs(s) + Double(height) * abs(c)))
    let (cx, cy) = (Double(width) / 2, Double(height) / 2)
    let (ox, oy) = (Double(outWidth) / 2, Double(outHeight) / 2)
    let back = PixelTransform(xx: c, xy: s, yx: -s, yy: c, dx: cx - c * ox - s * oy, dy: cy + s * ox - c * oy)
    return (resampled(width: outWidth, height: outHeight, from: back), back)
  }

  /// Resamples the picture bilinearly to a size in pixels: each pixel centre is looked up where `transform` maps it.
  ///
  /// If that shrinks the picture, each pixel averages the samples that it covers, so that thin strokes are not lost.
  public func resampled(width outWidth: Int, height outHeight: Int, from transform: PixelTransform) -> GrayPicture {
    let across = Self.samples((transform.xx * transform.xx + transform.yx * transform.yx).squareRoot())
    let down = Self.samples((transform.xy * transform.xy + transform.yy * transform.yy).squareRoot())
    if across > 1 || down > 1 {
      return averaged(width: outWidth, height: outHeight, from: transform, across: across, down: down)
    }
    let (stepX, stepY) = (Float(transform.xx), Float(transform.yx))
    return sampledByRow(width: outWidth, height: outHeight, share: 1) { y, sampler in
      let origin = transform.apply(0.5, Double(y) + 0.5)
      let (startX, startY) = (Float(origin.x - 0.5), Float(origin.y - 0.5))
      sampler.add { x in (startX + Float(x) * stepX, startY + Float(x) * stepY) }
    }
  }

  /// The most samples along a side of a pixel.
  private static let mostSamples = 8.0

  /// The samples along a side of a pixel that covers `covered` pixels of the source.
  static func samples(_ covered: Double) -> Int { Int(max(1, min(mostSamples, covered.rounded()))) }

  private func averaged(
    width outWidth: Int, height outHeight: Int, from transform: PixelTransform, across: Int, down: Int
  ) -> GrayPicture {
    sampledByRow(width: outWidth, height: outHeight, share: 1 / Float(across * down)) { y, sampler in
      for row in 0..<down {
        for column in 0..<across {
          let (stepX, stepY) = (Float(transform.xx) / Float(across), Float(transform.yx) / Float(across))
          sampler.add { x in
            let first = transform.apply(
              Double(x) + 0.5 / Double(across), Double(y) + (Double(row) + 0.5) / Double(down))
            let (startX, startY) = (Float(first.x - 0.5), Float(first.y - 0.5))
            return (startX + Float(column) * stepX, startY + Float(column) * stepY)
          }
        }
      }
    }
  }
}

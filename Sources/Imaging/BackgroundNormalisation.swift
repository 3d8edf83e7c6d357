import CLeptonica

extension GrayPicture {
  /// Divides the picture by its local background: the mean of the pixels of a box that are not darker than the box's
  /// mean.
  ///
  /// Removes shading, glare and vignettes; dark strokes on light ground keep their depth.
  ///
  /// - Parameter size: The side of the box in pixels, odd.
  /// - Returns: `width * height` ratios: about 1 on the ground, less on strokes.
  public func dividedByBackground(size: Int) -> [Float] {
    pixels.withUnsafeBufferPointer { pixels in
      let mean = boxMeans(size: size) { Int32(pixels[$0]) }
      return mean.withUnsafeBufferPointer { mean in
        let bright = boxMeans(size: size) { Float(pixels[$0]) >= mean[$0] - 1 ? Int32(pixels[$0]) : 0 }
        let weight = boxMeans(size: size) { Float(pixels[$0]) >= mean[$0] - 1 ? 1 : 0 }
        return [Float](unsafeUninitializedCapacity: pixels.count) { out, initialized in
          for index in 0..<pixels.count {
            let ground = bright[index] / max(weight[index], 1e-3)
            out[index] = Float(pixels[index]) / max(ground, 1)
          }
          initialized = pixels.count
        }
      }
    }
  }

  /// The ground of dark strokes: the picture after grayscale closing, a maximum and then a minimum over 17 x 17 pixels. That
  /// fills strokes that are narrower, and leaves the straight edge of a shadow where it is. Nil without memory.
  public func ground() -> GrayPicture? {
    let side: Int32 = 17
    guard let pix = Pix.make(from: self) else { return nil }
    return Pix { pixCloseGray(pix.pointer, side, side) }?.grayPicture()
  }

  /// The picture divided by its ground, which becomes light gray: without shading, and without shadows, whose edges
  /// `dividedByBackground` leaves as dark bands.
  public func evened() -> GrayPicture {
    guard let ground = ground() else { return self }
    let (leastGround, white) = (8, 200)
    return GrayPicture(
      width: width, height: height,
      pixels: zip(pixels, ground.pixels).map { pixel, ground in
        UInt8(min(255, Int(pixel) * white / max(leastGround, Int(ground))))
      })
  }

  /// The mean over the `size` x `size` box around every pixel of values of at most 255. Positions outside the picture are
  /// mirrored.
  private func boxMeans(size: Int, _ value: (_ index: Int) -> Int32) -> [Float] {
    let across = meansAcross(size: size, value)
    return [Float](unsafeUninitializedCapacity: width * height) { out, initialized in
      across.withUnsafeBufferPointer { across in
        withUnsafeTemporaryAllocation(of: Float.self, capacity: width) { sums in
          let radius = size / 2
          sums.initialize(repeating: 0)
          func start(_ row: Int) -> Int { mirrored(row, height) &* width }
          for row in -radius..<radius {
            let added = start(row)
            for x in 0..<width { sums[x] += across[added &+ x] }
          }
          for y in 0..<height {
            let (added, removed) = (start(y + radius), start(y - radius))
            for x in 0..<width {
              let sum = sums[x] + across[added &+ x]
              out[y &* width &+ x] = sum / Float(size)
              sums[x] = sum - across[removed &+ x]
            }
          }
        }
      }
      initialized = width * height
    }
  }

  /// The mean over the `size` pixels of its row around every pixel.
  private func meansAcross(size: Int, _ value: (_ index: Int) -> Int32) -> [Float] {
    let radius = size / 2
    return [Float](unsafeUninitializedCapacity: width * height) { out, initialized in
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: width + 2 * radius) { padded in
        for y in 0..<height {
          let start = y &* width
          for x in 0..<width { padded[radius &+ x] = value(start &+ x) }
          for offset in 0..<radius {
            padded[offset] = padded[radius + mirrored(offset - radius, width)]
            padded[radius + width + offset] = padded[radius + mirrored(width + offset, width)]
          }
          var sum: Int32 = 0
          for x in 0..<size - 1 { sum &+= padded[x] }
          for x in 0..<width {
            sum &+= padded[x &+ size &- 1]
            out[start &+ x] = Float(sum) / Float(size)
            sum &-= padded[x]
          }
        }
      }
      initialized = width * height
    }
  }
}

extension GrayPicture {
  /// Creates a picture from real values, stretched so that the `low` percentile becomes `floor` and the `high` one
  /// `ceiling`.
  ///
  /// - Parameters:
  ///   - values: `width * height` values.
  ///   - low, high: Percentiles, 0...100.
  ///   - least: The least span between the percentiles, so that noise is not stretched to full contrast.
  public static func stretched(
    _ values: ArraySlice<Float>, width: Int, height: Int, low: Double, high: Double, least: Float, floor: Float,
    ceiling: Float
  ) -> GrayPicture {
    guard !values.isEmpty else { return GrayPicture(width: 0, height: 0, pixels: []) }
    let (bottom, top) = percentiles(of: values, low, high)
    let gain = (ceiling - floor) / max(top - bottom, least)
    return GrayPicture(
      width: width, height: height,
      pixels: values.map { UInt8(max(0, min(255, ($0 - bottom) * gain + floor))) })
  }

  /// Two percentiles, from a histogram of 4096 bins between the least and the greatest value.
  private static func percentiles(of values: ArraySlice<Float>, _ low: Double, _ high: Double) -> (Float, Float) {
    var (least, greatest) = (Float.greatestFiniteMagnitude, -Float.greatestFiniteMagnitude)
    for value in values {
      least = min(least, value)
      greatest = max(greatest, value)
    }
    guard greatest > least else { return (least, greatest) }
    let steps = 4096
    let scale = Float(steps - 1) / (greatest - least)
    var histogram = [Int](repeating: 0, count: steps)
    for value in values { histogram[Int((value - least) * scale)] += 1 }
    func value(at percentile: Double) -> Float {
      let rank = percentile / 100 * Double(values.count - 1)
      var seen = 0
      for (step, count) in histogram.enumerated() {
        seen += count
        if Double(seen) > rank { return least + (Float(step) + 0.5) / scale }
      }
      return greatest
    }
    return (value(at: low), value(at: high))
  }
}

extension GrayPicture {
  /// Divides the picture by its local background: the mean of the pixels of a box that are not darker than the box's
  /// mean.
  ///
  /// Removes shading, glare and vignettes; dark strokes on light ground keep their depth.
  ///
  /// - Parameter size: The side of the box in pixels, odd.
  /// - Returns: `width * height` ratios: about 1 on the ground, less on strokes.
  public func dividedByBackground(size: Int) -> [Float] {
    let count = width * height
    let mean = boxMeans(of: pixels.map(Float.init), size: size)
    var bright = [Float](repeating: 0, count: count)
    var weight = [Float](repeating: 0, count: count)
    for index in 0..<count where Float(pixels[index]) >= mean[index] - 1 {
      bright[index] = Float(pixels[index])
      weight[index] = 1
    }
    let brightMean = boxMeans(of: bright, size: size)
    let weightMean = boxMeans(of: weight, size: size)
    return (0..<count).map { index in
      let ground = brightMean[index] / max(weightMean[index], 1e-3)
      return Float(pixels[index]) / max(ground, 1)
    }
  }

  /// Box means of values laid out like this picture. Positions outside the picture are mirrored.
  private func boxMeans(of values: [Float], size: Int) -> [Float] {
    let across = runningMeans(of: values, size: size, lines: height, length: width, lineStep: width, step: 1)
    return runningMeans(of: across, size: size, lines: width, length: height, lineStep: 1, step: width)
  }

  private func runningMeans(
    of values: [Float], size: Int, lines: Int, length: Int, lineStep: Int, step: Int
  ) -> [Float] {
    let radius = size / 2
    return [Float](unsafeUninitializedCapacity: values.count) { out, initialized in
      values.withUnsafeBufferPointer { values in
        withUnsafeTemporaryAllocation(of: Float.self, capacity: length + 2 * radius + 1) { padded in
          for line in 0..<lines {
            let start = line &* lineStep
            for index in 0..<radius {
              padded[index] = values[start &+ mirrored(index - radius, length) &* step]
              padded[radius + length + index] = values[start &+ mirrored(length + index, length) &* step]
            }
            for index in 0..<length { padded[radius &+ index] = values[start &+ index &* step] }
            var sum: Float = 0
            for index in 0..<size - 1 { sum += padded[index] }
            for index in 0..<length {
              sum += padded[index &+ size &- 1]
              out[start &+ index &* step] = sum / Float(size)
              sum -= padded[index]
            }
          }
        }
      }
      initialized = values.count
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

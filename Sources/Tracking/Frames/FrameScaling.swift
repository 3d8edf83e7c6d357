extension TrackingFrame {
  /// This frame reduced so that its longer side has at most `side` pixels; unchanged if it is no larger.
  public func reduced(to side: Int) -> TrackingFrame {
    guard side > 0, longestSide > side else { return self }
    let factor = Double(side) / Double(longestSide)
    return scaled(
      width: max(1, Int((Double(width) * factor).rounded())), height: max(1, Int((Double(height) * factor).rounded())))
  }

  /// This frame at another size: each pixel is the mean of the area that it covers.
  func scaled(width newWidth: Int, height newHeight: Int) -> TrackingFrame {
    guard newWidth != width || newHeight != height else { return self }
    let columns = AreaWeights(from: width, to: newWidth)
    let rows = AreaWeights(from: height, to: newHeight)
    let newGray = scaledGray(columns, rows)
    return TrackingFrame(
      width: newWidth, height: newHeight, gray: newGray,
      colors: scaledColors(newWidth, newHeight, columns, rows), fullWidth: fullWidth, fullHeight: fullHeight) ?? self
  }

  /// Scales the rows across, then the columns down, so that each row is scaled across only once.
  private func scaledGray(_ columns: AreaWeights, _ rows: AreaWeights) -> [UInt8] {
    let (newWidth, newHeight) = (columns.count, rows.count)
    var values = [Float](repeating: 0, count: width)
    let across = [Float](unsafeUninitializedCapacity: newWidth * height) { out, count in
      gray.withUnsafeBufferPointer { source in
        values.withUnsafeMutableBufferPointer { values in
          columns.withSpans { spans, weights in
            guard let source = source.baseAddress, let values = values.baseAddress, let out = out.baseAddress else {
              return
            }
            for y in 0..<height {
              let line = source + y &* width
              let row = out + y &* newWidth
              // A whole row at once, in vectors.
              for x in 0..<width { values[x] = Float(line[x]) }
              for x in 0..<newWidth {
                let span = spans[x]
                let (pixels, shares) = (values + span.first, weights + span.weights)
                if span.count == 3 {
                  row[x] = shares[0] * pixels[0] + shares[1] * pixels[1] + shares[2] * pixels[2]
                } else {
                  var sum: Float = 0
                  for i in 0..<span.count { sum += shares[i] * pixels[i] }
                  row[x] = sum
                }
              }
            }
          }
        }
      }
      count = newWidth * height
    }
    var sums = [Float](repeating: 0, count: newWidth)
    return [UInt8](unsafeUninitializedCapacity: newWidth * newHeight) { out, count in
      across.withUnsafeBufferPointer { source in
        sums.withUnsafeMutableBufferPointer { sums in
          rows.withSpans { spans, weights in
            guard let source = source.baseAddress, let out = out.baseAddress, let sums = sums.baseAddress else {
              return
            }
            for y in 0..<newHeight {
              let span = spans[y]
              let first = source + span.first &* newWidth
              let share = weights[span.weights]
              for x in 0..<newWidth { sums[x] = first[x] * share }
              for j in 1..<max(1, span.count) {
                let line = first + j &* newWidth
                let share = weights[span.weights &+ j]
                for x in 0..<newWidth { sums[x] += line[x] * share }
              }
              let row = out + y &* newWidth
              // Adding 2^23 leaves no bits for fractions, so the lowest byte is the rounded value. Halves round up.
              for x in 0..<newWidth {
                row[x] = UInt8(truncatingIfNeeded: (min(sums[x], 255) + 0x1p-12 + 0x1p23).bitPattern)
              }
            }
          }
        }
      }
      count = newWidth * newHeight
    }
  }

  private func scaledColors(_ newWidth: Int, _ newHeight: Int, _ columns: AreaWeights, _ rows: AreaWeights) -> [UInt32]
  {
    guard !colors.isEmpty else { return [] }
    return [UInt32](unsafeUninitializedCapacity: newWidth * newHeight) { out, count in
      colors.withUnsafeBufferPointer { source in
        for y in 0..<newHeight {
          for x in 0..<newWidth {
            var sum = SIMD4<Float>()
            let (down, over) = (rows.spans[y], columns.spans[x])
            for j in 0..<down.count {
              var line = SIMD4<Float>()
              for i in 0..<over.count {
                line +=
                  columns.weights[over.weights &+ i] * source[(down.first &+ j) &* width &+ over.first &+ i].channels
              }
              sum += line * rows.weights[down.weights &+ j]
            }
            out[y &* newWidth &+ x] = UInt32(channels: sum)
          }
        }
      }
      count = newWidth * newHeight
    }
  }
}

/// The source pixels that fall on each pixel of a scaled line, with their shares.
private struct AreaWeights {
  /// The source pixels of one pixel, and the index of their first weight.
  struct Span {
    var first: Int
    var count: Int
    var weights: Int
  }

  private(set) var spans: [Span] = []
  private(set) var weights: [Float] = []

  var count: Int { spans.count }

  init(from: Int, to: Int) {
    let step = Double(from) / Double(to)
    spans.reserveCapacity(to)
    weights.reserveCapacity(to * (Int(step) + 3))
    for index in 0..<to {
      let (begin, end) = (Double(index) * step, Double(index + 1) * step)
      let low = min(Int(begin), from - 1)
      let high = min(max(low, Int(end.rounded(.up)) - 1), from - 1)
      // Padded to three with zero weights: most have two or three, and a loop of varying length is slower.
      let first = max(0, min(low, from - 3))
      let count = max(high - first + 1, min(3, from))
      spans.append(Span(first: first, count: count, weights: weights.count))
      for pixel in first..<(first + count) {
        let isWhole = pixel > low && pixel < high
        let share = low == high ? 1 : (pixel == low ? Double(low + 1) - begin : end - Double(high)) / step
        weights.append(pixel < low || pixel > high ? 0 : isWhole ? Float(1 / step) : Float(share))
      }
    }
  }

  /// Calls a closure with pointers to both arrays.
  @inline(__always)
  func withSpans(_ body: (UnsafePointer<Span>, UnsafePointer<Float>) -> Void) {
    spans.withUnsafeBufferPointer { spans in
      weights.withUnsafeBufferPointer { weights in
        if let spans = spans.baseAddress, let weights = weights.baseAddress { body(spans, weights) }
      }
    }
  }
}

extension UInt32 {
  /// Red, green and blue of a colour 0xRRGGBB00, 0...255 each.
  @inline(__always)
  var channels: SIMD4<Float> {
    SIMD4(Float(self &>> 24), Float((self &>> 16) & 255), Float((self &>> 8) & 255), 0)
  }

  /// A colour from red, green and blue.
  @inline(__always)
  init(channels: SIMD4<Float>) {
    let held = (channels + 0.5).clamped(lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: 255))
    self = UInt32(held.x) &<< 24 | UInt32(held.y) &<< 16 | UInt32(held.z) &<< 8
  }
}

extension TrackingFrame {
  /// This picture reduced so that its longer side has at most `side` pixels; itself where it is no larger.
  public func reduced(to side: Int) -> TrackingFrame {
    guard side > 0, longestSide > side else { return self }
    let factor = Double(side) / Double(longestSide)
    return scaled(
      width: max(1, Int((Double(width) * factor).rounded())), height: max(1, Int((Double(height) * factor).rounded())))
  }

  /// This picture at another size: each pixel is the mean of what it covers.
  func scaled(width newWidth: Int, height newHeight: Int) -> TrackingFrame {
    guard newWidth != width || newHeight != height else { return self }
    let columns = AreaWeights(from: width, to: newWidth)
    let rows = AreaWeights(from: height, to: newHeight)
    let newGray = [UInt8](unsafeUninitializedCapacity: newWidth * newHeight) { out, count in
      gray.withUnsafeBufferPointer { source in
        for y in 0..<newHeight {
          for x in 0..<newWidth {
            var sum: Float = 0
            for j in rows.first[y]...rows.last[y] {
              var line: Float = 0
              for i in columns.first[x]...columns.last[x] {
                line += columns.weight(i, of: x) * Float(source[j &* width &+ i])
              }
              sum += line * rows.weight(j, of: y)
            }
            out[y &* newWidth &+ x] = UInt8(min(max(sum + 0.5, 0), 255))
          }
        }
      }
      count = newWidth * newHeight
    }
    return TrackingFrame(
      width: newWidth, height: newHeight, gray: newGray,
      colors: scaledColors(newWidth, newHeight, columns, rows), fullWidth: fullWidth, fullHeight: fullHeight) ?? self
  }

  private func scaledColors(_ newWidth: Int, _ newHeight: Int, _ columns: AreaWeights, _ rows: AreaWeights) -> [UInt32]
  {
    guard !colors.isEmpty else { return [] }
    return [UInt32](unsafeUninitializedCapacity: newWidth * newHeight) { out, count in
      colors.withUnsafeBufferPointer { source in
        for y in 0..<newHeight {
          for x in 0..<newWidth {
            var sum = SIMD4<Float>()
            for j in rows.first[y]...rows.last[y] {
              var line = SIMD4<Float>()
              for i in columns.first[x]...columns.last[x] {
                line += columns.weight(i, of: x) * source[j &* width &+ i].channels
              }
              sum += line * rows.weight(j, of: y)
            }
            out[y &* newWidth &+ x] = UInt32(channels: sum)
          }
        }
      }
      count = newWidth * newHeight
    }
  }
}

/// Which pixels of a line fall on each pixel of a shorter or longer one, and with what share.
private struct AreaWeights {
  private(set) var first: [Int] = []
  private(set) var last: [Int] = []
  private var firstWeight: [Float] = []
  private var lastWeight: [Float] = []
  private var middleWeight: Float

  init(from: Int, to: Int) {
    let step = Double(from) / Double(to)
    middleWeight = Float(1 / step)
    for index in 0..<to {
      let (begin, end) = (Double(index) * step, Double(index + 1) * step)
      let low = min(Int(begin), from - 1)
      let high = min(max(low, Int(end.rounded(.up)) - 1), from - 1)
      first.append(low)
      last.append(high)
      firstWeight.append(low == high ? 1 : Float((Double(low + 1) - begin) / step))
      lastWeight.append(low == high ? 1 : Float((end - Double(high)) / step))
    }
  }

  @inline(__always)
  func weight(_ source: Int, of target: Int) -> Float {
    if source == first[target] { return firstWeight[target] }
    return source == last[target] ? lastWeight[target] : middleWeight
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

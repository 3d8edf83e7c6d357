extension GrayPicture {
  /// Scales by a factor: averages areas when shrinking, interpolates bilinearly when growing.
  public func scaled(by factor: Double) -> GrayPicture {
    scaled(
      toWidth: max(1, Int((Double(width) * factor).rounded())),
      height: max(1, Int((Double(height) * factor).rounded())))
  }

  /// Scales to a size in pixels: averages areas when shrinking, interpolates bilinearly when growing.
  public func scaled(toWidth newWidth: Int, height newHeight: Int) -> GrayPicture {
    if newWidth == width, newHeight == height { return self }
    if newWidth < width, newHeight < height { return averaged(toWidth: newWidth, height: newHeight) }
    let back = PixelTransform.scale(Double(width) / Double(newWidth), Double(height) / Double(newHeight))
    return resampled(width: newWidth, height: newHeight, from: back)
  }

  /// Makes every new pixel the mean of the area it covers. The vertical pass sums whole rows, the horizontal pass the
  /// result.
  private func averaged(toWidth newWidth: Int, height newHeight: Int) -> GrayPicture {
    let stepX = Float(width) / Float(newWidth)
    let stepY = Float(height) / Float(newHeight)
    return GrayPicture(width: newWidth, height: newHeight) { out in
      pixels.withUnsafeBufferPointer { source in
        withUnsafeTemporaryAllocation(of: Float.self, capacity: width) { sums in
          for y in 0..<newHeight {
            sumRows(of: source, from: Float(y) * stepY, to: min(Float(height), Float(y + 1) * stepY), into: sums)
            let scale = 1 / (stepX * stepY)
            for x in 0..<newWidth {
              let from = Float(x) * stepX
              let to = min(Float(width), from + stepX)
              var column = Int(from)
              let last = Int(to)
              var sum = -sums[column] * (from - Float(column))
              while column < last {
                sum += sums[column]
                column = column &+ 1
              }
              if last < width { sum += sums[last] * (to - Float(last)) }
              out[y &* newWidth &+ x] = UInt8(max(0, min(255, sum * scale + 0.5)))
            }
          }
        }
      }
    }
  }

  private func sumRows(
    of source: UnsafeBufferPointer<UInt8>, from: Float, to: Float, into sums: UnsafeMutableBufferPointer<Float>
  ) {
    for x in 0..<width { sums[x] = 0 }
    var row = Int(from)
    while row < height, Float(row) < to {
      let weight = min(to, Float(row + 1)) - max(from, Float(row))
      let start = row &* width
      for x in 0..<width { sums[x] += weight * Float(source[start &+ x]) }
      row += 1
    }
  }
}

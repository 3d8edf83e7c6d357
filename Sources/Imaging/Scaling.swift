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
    if newWidth >= width, newHeight >= height { return enlarged(toWidth: newWidth, height: newHeight) }
    let back = PixelTransform.scale(Double(width) / Double(newWidth), Double(height) / Double(newHeight))
    return resampled(width: newWidth, height: newHeight, from: back)
  }

  /// Interpolates bilinearly: first across each row of the picture, once, then down between two such rows.
  private func enlarged(toWidth newWidth: Int, height newHeight: Int) -> GrayPicture {
    let columns = Self.interpolation(from: width, to: newWidth)
    let rows = Self.interpolation(from: height, to: newHeight)
    return GrayPicture(width: newWidth, height: newHeight) { out in
      pixels.withUnsafeBufferPointer { source in
        withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * newWidth) { stretched in
          var (upper, lower) = (stretched.prefix(newWidth), stretched.suffix(newWidth))
          var (upperRow, lowerRow) = (-1, -1)
          for y in 0..<newHeight {
            let row = rows[y]
            if lowerRow == row.first, upperRow != row.first {
              swap(&upper, &lower)
              swap(&upperRow, &lowerRow)
            }
            if upperRow != row.first { stretch(source, row: row.first, by: columns, into: upper) }
            if lowerRow != row.second { stretch(source, row: row.second, by: columns, into: lower) }
            (upperRow, lowerRow) = (row.first, row.second)
            let (top, bottom) = (UnsafeBufferPointer(rebasing: upper), UnsafeBufferPointer(rebasing: lower))
            let share = row.share
            for x in 0..<newWidth {
              out[y &* newWidth &+ x] = UInt8(rounding: top[x] * (1 - share) + bottom[x] * share)
            }
          }
        }
      }
    }
  }

  /// For each of `newLength` positions, the two of `length` between whose centres it lies, and the share of the second,
  /// 0..<1. Beyond the first or last centre both are the same.
  private static func interpolation(
    from length: Int, to newLength: Int
  ) -> [(first: Int, second: Int, share: Float)] {
    let step = Double(length) / Double(newLength)
    return (0..<newLength).map { index in
      let place = max(0, min(Float((Double(index) + 0.5) * step - 0.5), Float(length - 1)))
      let first = Int(place)
      return (first, min(first + 1, length - 1), place - Float(first))
    }
  }

  private func stretch(
    _ source: UnsafeBufferPointer<UInt8>, row: Int, by columns: [(first: Int, second: Int, share: Float)],
    into stretched: Slice<UnsafeMutableBufferPointer<Float>>
  ) {
    let start = row &* width
    let target = UnsafeMutableBufferPointer(rebasing: stretched)
    for x in columns.indices {
      let (first, second, share) = columns[x]
      target[x] = Float(source[start &+ first]) * (1 - share) + Float(source[start &+ second]) * share
    }
  }

  /// Makes every new pixel the mean of the area it covers. The vertical pass sums whole rows, the horizontal pass the
  /// result.
  private func averaged(toWidth newWidth: Int, height newHeight: Int) -> GrayPicture {
    let stepX = Float(width) / Float(newWidth)
    let stepY = Float(height) / Float(newHeight)
    let scale = 1 / (stepX * stepY)
    // For each new pixel the first and the last column that it covers, and the parts of these that it does not cover and
    // covers.
    let spans = (0..<newWidth).map { x in
      let from = Float(x) * stepX
      let to = min(Float(width), from + stepX)
      let (first, last) = (Int(from), Int(to))
      return (first: first, last: last, before: from - Float(first), after: to - Float(last))
    }
    return GrayPicture(width: newWidth, height: newHeight) { out in
      pixels.withUnsafeBufferPointer { source in
        withUnsafeTemporaryAllocation(of: Float.self, capacity: width) { sums in
          for y in 0..<newHeight {
            sumRows(of: source, from: Float(y) * stepY, to: min(Float(height), Float(y + 1) * stepY), into: sums)
            for x in 0..<newWidth {
              let span = spans[x]
              var sum = -sums[span.first] * span.before
              for column in span.first..<span.last { sum += sums[column] }
              if span.last < width { sum += sums[span.last] * span.after }
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

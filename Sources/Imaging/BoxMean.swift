extension GrayPicture {
  /// Calls `body` for each row with the sums of the `size` x `size` boxes around its pixels.
  ///
  /// Positions outside the picture are mirrored about the edge pixel, as in OpenCV's `blur`. `size` must be odd and at
  /// most 257, so that the sum of a column fits 16 bits.
  public func forEachRowOfBoxSums(size: Int, _ body: (_ row: Int, _ sums: UnsafeBufferPointer<Int32>) -> Void) {
    precondition(size % 2 == 1 && size <= 257, "a box has a middle pixel")
    guard width > 0, height > 0 else { return }
    let radius = size / 2
    pixels.withUnsafeBufferPointer { source in
      withUnsafeTemporaryAllocation(of: UInt16.self, capacity: width + 2 * radius) { columns in
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: width) { sums in
          let middle = UnsafeMutableBufferPointer(rebasing: columns[radius..<radius + width])
          for x in 0..<width { middle[x] = 0 }
          for offset in -radius...radius {
            let start = mirrored(offset, height) &* width
            for x in 0..<width { middle[x] = middle[x] &+ UInt16(source[start &+ x]) }
          }
          for y in 0..<height {
            if y > 0 {
              let entering = mirrored(y + radius, height) &* width
              let leaving = mirrored(y - 1 - radius, height) &* width
              for x in 0..<width {
                middle[x] = middle[x] &+ UInt16(source[entering &+ x]) &- UInt16(source[leaving &+ x])
              }
            }
            for offset in 1..<(radius + 1) {
              columns[radius - offset] = middle[mirrored(-offset, width)]
              columns[radius + width - 1 + offset] = middle[mirrored(width - 1 + offset, width)]
            }
            var sum: Int32 = 0
            for x in 0..<size { sum = sum &+ Int32(columns[x]) }
            sums[0] = sum
            for x in 1..<max(1, width) {
              // In this order only one addition waits for the one before it.
              sum = sum &+ (Int32(columns[x &+ size &- 1]) &- Int32(columns[x &- 1]))
              sums[x] = sum
            }
            body(y, UnsafeBufferPointer(sums))
          }
        }
      }
    }
  }

  /// The mean over the `size` x `size` box around every pixel.
  public func boxMean(size: Int) -> GrayPicture {
    let area = Int32(size * size)
    return GrayPicture(width: width, height: height) { out in
      forEachRowOfBoxSums(size: size) { y, sums in
        for x in 0..<width { out[y &* width &+ x] = UInt8((sums[x] &+ area / 2) / area) }
      }
    }
  }
}

/// The index in 0..<count that an index outside mirrors to, about the edge pixels.
func mirrored(_ index: Int, _ count: Int) -> Int {
  if count == 1 { return 0 }
  let period = 2 * (count - 1)
  let folded = ((index % period) + period) % period
  return folded < count ? folded : period - folded
}

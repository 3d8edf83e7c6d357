extension GrayPicture {
  /// Calls `body` for each row with the sums of the `size` x `size` boxes around its pixels.
  ///
  /// Positions outside the picture are mirrored about the edge pixel, as in OpenCV's `blur`. `size` must be odd and at
  /// most 4095, so that the sums fit 32 bits.
  public func forEachRowOfBoxSums(size: Int, _ body: (_ row: Int, _ sums: UnsafeBufferPointer<UInt32>) -> Void) {
    precondition(size % 2 == 1 && size < 4096, "a box has a middle pixel")
    guard width > 0, height > 0 else { return }
    let radius = size / 2
    pixels.withUnsafeBufferPointer { source in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: width + 2 * radius) { columns in
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: width) { sums in
          let middle = UnsafeMutableBufferPointer(rebasing: columns[radius..<radius + width])
          for x in 0..<width { middle[x] = 0 }
          for offset in -radius...radius { add(source, row: mirrored(offset, height), to: middle) }
          for y in 0..<height {
            if y > 0 {
              add(source, row: mirrored(y + radius, height), to: middle)
              subtract(source, row: mirrored(y - 1 - radius, height), from: middle)
            }
            for offset in 1..<(radius + 1) {
              columns[radius - offset] = middle[mirrored(-offset, width)]
              columns[radius + width - 1 + offset] = middle[mirrored(width - 1 + offset, width)]
            }
            var sum: UInt32 = 0
            for x in 0..<size { sum = sum &+ columns[x] }
            sums[0] = sum
            for x in 1..<max(1, width) {
              sum = sum &+ columns[x &+ size &- 1] &- columns[x &- 1]
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
    let area = UInt32(size * size)
    return GrayPicture(width: width, height: height) { out in
      forEachRowOfBoxSums(size: size) { y, sums in
        for x in 0..<width { out[y &* width &+ x] = UInt8((sums[x] &+ area / 2) / area) }
      }
    }
  }

  @inline(__always)
  private func add(_ source: UnsafeBufferPointer<UInt8>, row: Int, to sums: UnsafeMutableBufferPointer<UInt32>) {
    let start = row &* width
    for x in 0..<width { sums[x] = sums[x] &+ UInt32(source[start &+ x]) }
  }

  @inline(__always)
  private func subtract(_ source: UnsafeBufferPointer<UInt8>, row: Int, from sums: UnsafeMutableBufferPointer<UInt32>) {
    let start = row &* width
    for x in 0..<width { sums[x] = sums[x] &- UInt32(source[start &+ x]) }
  }
}

/// The index in 0..<count that an index outside mirrors to, about the edge pixels.
func mirrored(_ index: Int, _ count: Int) -> Int {
  if count == 1 { return 0 }
  let period = 2 * (count - 1)
  let folded = ((index % period) + period) % period
  return folded < count ? folded : period - folded
}

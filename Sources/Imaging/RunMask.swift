/// A binary mask stored as horizontal runs of set pixels, so that operations cost by content instead of area.
public struct RunMask: Sendable {
  /// Set pixels of one row, `start..<end`.
  public struct Run: Sendable, Equatable {
    /// The row.
    public var row: Int32
    /// First pixel.
    public var start: Int32
    /// One past the last pixel.
    public var end: Int32

    /// Creates a run.
    public init(row: Int32, start: Int32, end: Int32) {
      self.row = row
      self.start = start
      self.end = end
    }
  }

  /// Pixels across.
  public let width: Int
  /// Pixels down.
  public let height: Int
  /// All runs by row, then from left to right. Runs never touch each other.
  public private(set) var runs: [Run]

  /// Creates a mask from ordered runs.
  public init(width: Int, height: Int, runs: [Run]) {
    self.width = width
    self.height = height
    self.runs = runs
  }

  /// Creates an empty mask, to be filled row by row.
  public init(width: Int, height: Int) {
    self.init(width: width, height: height, runs: [])
    runs.reserveCapacity(1 << 14)
  }

  /// Number of set pixels.
  public var area: Int { runs.reduce(0) { $0 + Int($1.end - $1.start) } }

  /// Appends the runs of a row, given as one byte a pixel, 0 or 1. Rows must come in order.
  public mutating func append(row: Int, _ bytes: UnsafeBufferPointer<UInt8>) {
    var start = 0
    var last: UInt64 = 0
    for first in stride(from: 0, to: bytes.count, by: 64) {
      let bits = Self.bits(of: bytes, from: first)
      // Bits that differ from the pixel before them: a run begins where one is set, and ends where one is not.
      var changes = bits ^ (bits &<< 1 | last)
      last = bits &>> 63
      while changes != 0 {
        let offset = changes.trailingZeroBitCount
        if (bits &>> UInt64(truncatingIfNeeded: offset)) & 1 == 1 {
          start = first + offset
        } else {
          runs.append(Run(row: Int32(row), start: Int32(start), end: Int32(first + offset)))
        }
        changes &= changes &- 1
      }
    }
    if last == 1 { runs.append(Run(row: Int32(row), start: Int32(start), end: Int32(bytes.count))) }
  }

  /// Up to 64 pixels as bits, the first one as the lowest.
  private static func bits(of bytes: UnsafeBufferPointer<UInt8>, from first: Int) -> UInt64 {
    var bits: UInt64 = 0
    guard first &+ 64 <= bytes.count else {
      for x in first..<bytes.count { bits |= UInt64(bytes[x]) &<< UInt64(truncatingIfNeeded: x &- first) }
      return bits
    }
    let raw = UnsafeRawBufferPointer(bytes)
    for word in 0..<8 {
      // The product has the lowest bits of the eight bytes in its highest byte.
      let eight = raw.loadUnaligned(fromByteOffset: first &+ word &* 8, as: UInt64.self).littleEndian
      bits |= ((eight &* 0x0102_0408_1020_4080) &>> 56) &<< UInt64(truncatingIfNeeded: word &* 8)
    }
    return bits
  }

  /// The mask with only the runs for whose index `keep` returns true.
  public func filtered(_ keep: (Int) -> Bool) -> RunMask {
    RunMask(width: width, height: height, runs: runs.indices.lazy.filter(keep).map { runs[$0] })
  }

  /// Closes the mask with a horizontal line of `size` pixels: fills shorter gaps.
  ///
  /// - Returns: The closed mask, and for each run of this mask the index of the closed run that contains it.
  public func closedHorizontally(_ size: Int) -> (mask: RunMask, owner: [Int32]) {
    var joined: [Run] = []
    joined.reserveCapacity(runs.count)
    var owner = [Int32](repeating: 0, count: runs.count)
    for (index, run) in runs.enumerated() {
      if let last = joined.last, last.row == run.row, Int(run.start - last.end) < size {
        joined[joined.count - 1].end = run.end
      } else {
        joined.append(run)
      }
      owner[index] = Int32(joined.count - 1)
    }
    return (RunMask(width: width, height: height, runs: joined), owner)
  }

  /// Turns the mask clockwise by 90 degrees: the pixel at (x, y) moves to (height - 1 - y, x).
  ///
  /// - Returns: The turned mask, and for each of its runs the index of the original run of its first pixel.
  public func turnedClockwise() -> (mask: RunMask, origin: [Int32]) {
    // Counting sort of the pixels by column. Rows are visited from the bottom, which becomes the left.
    var begin = [Int32](repeating: 0, count: width + 1)
    for run in runs {
      // Where the number of pixels from a column on changes.
      begin[Int(run.start)] += 1
      begin[Int(run.end)] -= 1
    }
    var (total, count): (Int32, Int32) = (0, 0)
    for x in begin.indices {
      count += begin[x]
      begin[x] = total
      total += count
    }
    var next = begin
    var sources = [Int32](repeating: 0, count: Int(total))
    next.withUnsafeMutableBufferPointer { next in
      sources.withUnsafeMutableBufferPointer { sources in
        for index in runs.indices.reversed() {
          let run = runs[index]
          for x in Int(run.start)..<Int(run.end) {
            sources[Int(next[x])] = Int32(truncatingIfNeeded: index)
            next[x] &+= 1
          }
        }
      }
    }
    var turned: [Run] = []
    turned.reserveCapacity(runs.count)
    var origin: [Int32] = []
    origin.reserveCapacity(runs.count)
    for x in 0..<width {
      var run: Run?
      for source in sources[Int(begin[x])..<Int(begin[x + 1])] {
        let place = Int32(height - 1) - runs[Int(source)].row
        if run?.end == place {
          run?.end = place + 1
          continue
        }
        if let run { turned.append(run) }
        run = Run(row: Int32(x), start: place, end: place + 1)
        origin.append(source)
      }
      if let run { turned.append(run) }
    }
    return (RunMask(width: height, height: width, runs: turned), origin)
  }
}

extension GrayPicture {
  /// The mask of pixels lighter than a gray value.
  public func mask(above threshold: Int) -> RunMask {
    var mask = RunMask(width: width, height: height)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: width) { row in
      for y in 0..<height {
        for x in 0..<width { row[x] = Int(self[x, y]) > threshold ? 1 : 0 }
        mask.append(row: y, UnsafeBufferPointer(row))
      }
    }
    return mask
  }

  /// The least gray value that a share of the pixels, 0...1, does not exceed.
  public func percentile(_ share: Double) -> Int {
    var histogram = [Int](repeating: 0, count: 256)
    for value in pixels { histogram[Int(value)] += 1 }
    var seen = 0
    return histogram.indices.first { level in
      seen += histogram[level]
      return Double(seen) >= share * Double(pixels.count)
    } ?? 255
  }
}

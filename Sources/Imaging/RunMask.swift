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

  /// Appends the runs of a row, given as one byte a pixel (0 or nonzero). Rows must come in order.
  public mutating func append(row: Int, _ bytes: UnsafeBufferPointer<UInt8>) {
    let count = bytes.count
    let raw = UnsafeRawBufferPointer(bytes)
    var x = 0
    while x < count {
      // Skip eight unset pixels at a time: most of a picture is background.
      while x &+ 8 <= count, raw.loadUnaligned(fromByteOffset: x, as: UInt64.self) == 0 { x = x &+ 8 }
      while x < count, bytes[x] == 0 { x = x &+ 1 }
      if x >= count { return }
      let start = x
      while x < count, bytes[x] != 0 { x = x &+ 1 }
      runs.append(Run(row: Int32(row), start: Int32(start), end: Int32(x)))
    }
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
    for run in runs { for x in Int(run.start)..<Int(run.end) { begin[x + 1] += 1 } }
    for x in 0..<width { begin[x + 1] += begin[x] }
    let total = Int(begin[width])
    var next = begin
    var places = [Int32](repeating: 0, count: total)
    var sources = [Int32](repeating: 0, count: total)
    for index in runs.indices.reversed() {
      let run = runs[index]
      let place = Int32(height - 1) - run.row
      for x in Int(run.start)..<Int(run.end) {
        let at = Int(next[x])
        places[at] = place
        sources[at] = Int32(index)
        next[x] += 1
      }
    }
    var turned: [Run] = []
    turned.reserveCapacity(runs.count)
    var origin: [Int32] = []
    origin.reserveCapacity(runs.count)
    for x in 0..<width {
      for at in Int(begin[x])..<Int(begin[x + 1]) {
        if let last = turned.last, last.row == Int32(x), last.end == places[at] {
          turned[turned.count - 1].end = places[at] + 1
        } else {
          turned.append(Run(row: Int32(x), start: places[at], end: places[at] + 1))
          origin.append(sources[at])
        }
      }
    }
    return (RunMask(width: height, height: width, runs: turned), origin)
  }
}

/// One connected set of pixels.
public struct Component: Sendable, Equatable {
  /// Left, top, width and height of its bounding box in pixels.
  public var x, y, width, height: Int
  /// Number of its pixels.
  public var area: Int
  /// Mean position of its pixels.
  public var centroidX, centroidY: Float

  /// Creates a component.
  public init(x: Int, y: Int, width: Int, height: Int, area: Int, centroidX: Float, centroidY: Float) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
    self.area = area
    self.centroidX = centroidX
    self.centroidY = centroidY
  }

  /// The longer side of the bounding box.
  public var longestSide: Int { max(width, height) }
}

extension RunMask {
  /// Finds the sets of touching pixels, diagonals included.
  ///
  /// - Returns: The components, and the index of each run's component.
  public func components() -> (components: [Component], labels: [Int32]) {
    var parent = [Int32](repeating: 0, count: runs.count)
    for index in parent.indices { parent[index] = Int32(index) }
    parent.withUnsafeMutableBufferPointer { joinTouchingRuns($0) }
    return collected(&parent)
  }

  /// Joins every run with the runs of the row above that touch it.
  private func joinTouchingRuns(_ parent: UnsafeMutableBufferPointer<Int32>) {
    runs.withUnsafeBufferPointer { runs in
      var above = 0  // first run of the row above that may still touch
      var rowStart = 0
      for index in 0..<runs.count {
        let run = runs[index]
        if index == 0 || runs[index - 1].row != run.row {
          above = index > 0 && runs[index - 1].row == run.row - 1 ? rowStart : index
          rowStart = index
        }
        while above < rowStart, runs[above].end < run.start { above += 1 }
        var other = above
        while other < rowStart, runs[other].start <= run.end {
          union(parent, Int32(index), Int32(other))
          other += 1
        }
      }
    }
  }

  @inline(__always)
  private func root(_ parent: UnsafeMutableBufferPointer<Int32>, _ index: Int32) -> Int32 {
    var index = index
    while parent[Int(index)] != index {
      parent[Int(index)] = parent[Int(parent[Int(index)])]
      index = parent[Int(index)]
    }
    return index
  }

  @inline(__always)
  private func union(_ parent: UnsafeMutableBufferPointer<Int32>, _ a: Int32, _ b: Int32) {
    let (first, second) = (root(parent, a), root(parent, b))
    if first != second { parent[Int(max(first, second))] = min(first, second) }
  }

  /// Numbers the roots and sums up the runs of each set. A root is always the first run of its set.
  private func collected(_ parent: inout [Int32]) -> (components: [Component], labels: [Int32]) {
    var labels = [Int32](repeating: 0, count: runs.count)
    var found: [Tally] = []
    parent.withUnsafeMutableBufferPointer { parent in
      for (index, run) in runs.enumerated() {
        let first = root(parent, Int32(index))
        if first == Int32(index) {
          labels[index] = Int32(found.count)
          found.append(Tally(run))
        } else {
          labels[index] = labels[Int(first)]
          found[Int(labels[index])].add(run)
        }
      }
    }
    return (found.map(\.component), labels)
  }

  private struct Tally {
    var left, right, top, bottom: Int32
    var area = 0
    var sumX = 0
    var sumY = 0

    init(_ run: Run) {
      (left, right, top, bottom) = (run.start, run.end, run.row, run.row)
      count(run)
    }

    mutating func add(_ run: Run) {
      left = min(left, run.start)
      right = max(right, run.end)
      bottom = run.row  // runs come in row order
      count(run)
    }

    private mutating func count(_ run: Run) {
      let length = Int(run.end - run.start)
      area += length
      sumX += length * Int(run.start + run.end - 1)  // twice the sum of the x coordinates
      sumY += length * Int(run.row)
    }

    var component: Component {
      Component(
        x: Int(left), y: Int(top), width: Int(right - left), height: Int(bottom - top + 1), area: area,
        centroidX: Float(sumX) / Float(2 * area), centroidY: Float(sumY) / Float(area))
    }
  }
}

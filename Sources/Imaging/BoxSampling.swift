/// A rectangle of whole pixel columns and rows. It may reach beyond the picture.
public struct PixelBox: Sendable, Equatable {
  /// Pixels across.
  public var columns: Range<Int>
  /// Pixels down.
  public var rows: Range<Int>

  /// Creates a box from its columns and rows.
  public init(columns: Range<Int>, rows: Range<Int>) {
    (self.columns, self.rows) = (columns, rows)
  }
}

extension GrayPicture {
  /// Returns the mean gray value of each part of a box, 0...255, row by row.
  ///
  /// Samples bilinearly; beyond the picture its edge pixels repeat.
  ///
  /// - Parameters:
  ///   - across: Parts along each row.
  ///   - down: Rows of parts.
  ///   - samples: Sampling points along each side of a part.
  public func means(of box: PixelBox, across: Int, down: Int, samples: Int) -> [Float] {
    pixels.withUnsafeBufferPointer { source in
      let sampler = BilinearSampler(source: source, width: width, height: height)
      let stepX = Float(box.columns.count) / Float(across * samples)
      let stepY = Float(box.rows.count) / Float(down * samples)
      return (0..<across * down).map { part in
        var sum: Float = 0
        for point in 0..<samples * samples {
          let (column, row) = (part % across * samples + point % samples, part / across * samples + point / samples)
          sum += sampler.value(
            Float(box.columns.lowerBound) + (Float(column) + 0.5) * stepX - 0.5,
            Float(box.rows.lowerBound) + (Float(row) + 0.5) * stepY - 0.5)
        }
        return sum / Float(samples * samples)
      }
    }
  }
}

/// A part of a picture: whole columns and rows of pixels, inside it or not.
public struct PixelBox: Sendable, Equatable {
  /// Pixels across.
  public var columns: Range<Int>
  /// Pixels down.
  public var rows: Range<Int>

  /// Takes what lies in the columns and in the rows.
  public init(columns: Range<Int>, rows: Range<Int>) {
    (self.columns, self.rows) = (columns, rows)
  }
}

extension GrayPicture {
  /// The means of a box's parts, 0...255, row after row: between pixels their values go over into each other, and the
  /// picture's edge goes on beyond it.
  ///
  /// - Parameters:
  ///   - across: Parts along each row.
  ///   - down: Rows of parts.
  ///   - samples: Points that a part is the mean of, along each side.
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

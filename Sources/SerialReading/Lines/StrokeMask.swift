import Imaging

/// Whether strokes are darker or lighter than their background.
public enum StrokePolarity: String, Sendable {
  /// Dark strokes on a light background.
  case dark
  /// Light strokes on a dark background.
  case light

  /// The other polarity.
  var opposite: StrokePolarity { self == .dark ? .light : .dark }
}

/// Marks the pixels that stand out from their surroundings, independent of the lighting.
///
/// With m the mean over 25 x 25 pixels (at least 8, so that noise in black areas is ignored) and s the mean of the
/// pixel and its 3 x 3 surroundings, a pixel is part of a dark stroke if (m - s) / m exceeds a threshold, and of a
/// light stroke if it is below the negated threshold.
enum StrokeMask {
  /// Side of the box that represents the surroundings, in pixels: a few strokes and gaps of the text sought.
  static let groundSize = 25

  /// Creates the mask of an image.
  ///
  /// - Parameters:
  ///   - picture: The image.
  ///   - threshold: Contrast above which a pixel is part of a stroke, as a share of its surroundings.
  ///   - polarity: The polarity of the strokes.
  ///   - leastGround: The minimum value used for m, 0...255.
  static func make(
    of picture: GrayPicture, threshold: Double, polarity: StrokePolarity, leastGround: Int = 8
  ) -> RunMask {
    let (width, height) = (picture.width, picture.height)
    var mask = RunMask(width: width, height: height)
    guard width > 1, height > 1 else { return mask }
    // (m - s) / m > T  <=>  s < (1 - T) m, with m and s in units of 1 / (18 x 625).
    let groundArea = Float(groundSize * groundSize)
    let factor = Float(polarity == .dark ? 1 - threshold : 1 + threshold) * 18 / groundArea
    // If m is below the minimum, m - s is compared with T times the minimum.
    let floorSum = UInt32(leastGround * groundSize * groundSize)
    let floorOffset = Float(threshold) * Float(leastGround) * 18
    let near = nearSums(picture)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: width) { row in
      picture.forEachRowOfBoxSums(size: groundSize) { y, ground in
        near.withUnsafeBufferPointer { near in
          let start = y &* width
          switch polarity {
          case .dark:
            for x in 0..<width {
              let limit =
                ground[x] >= floorSum ? Float(ground[x]) * factor : Float(ground[x]) * 18 / groundArea - floorOffset
              row[x] = Float(near[start &+ x]) < limit ? 1 : 0
            }
          case .light:
            for x in 0..<width {
              let limit =
                ground[x] >= floorSum ? Float(ground[x]) * factor : Float(ground[x]) * 18 / groundArea + floorOffset
              row[x] = Float(near[start &+ x]) > limit ? 1 : 0
            }
          }
        }
        mask.append(row: y, UnsafeBufferPointer(row))
      }
    }
    return mask
  }

  /// 18 times the average of each pixel and the mean of its 3 x 3 surroundings: the sum of the nine plus nine times the
  /// pixel.
  private static func nearSums(_ picture: GrayPicture) -> [UInt16] {
    let (width, height) = (picture.width, picture.height)
    return [UInt16](unsafeUninitializedCapacity: width * height) { out, initialized in
      picture.pixels.withUnsafeBufferPointer { source in
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: width + 2) { columns in
          for y in 0..<height {
            let middle = y &* width
            let above = y > 0 ? middle &- width : min(1, height - 1) &* width
            let below = y < height - 1 ? middle &+ width : max(0, height - 2) &* width
            for x in 0..<width {
              columns[x &+ 1] =
                UInt16(source[above &+ x]) &+ UInt16(source[middle &+ x]) &+ UInt16(source[below &+ x])
            }
            columns[0] = columns[2]
            columns[width + 1] = columns[width - 1]
            for x in 0..<width {
              out[middle &+ x] =
                columns[x] &+ columns[x &+ 1] &+ columns[x &+ 2] &+ 9 &* UInt16(source[middle &+ x])
            }
          }
        }
      }
      initialized = width * height
    }
  }
}

/// A picture of 8-bit gray pixels (0 black ... 255 white), row by row without padding.
public struct GrayPicture: Sendable, Equatable {
  /// Pixels across.
  public let width: Int
  /// Pixels down.
  public let height: Int
  /// `width * height` gray values, row by row.
  public let pixels: [UInt8]

  /// Creates a picture from `width * height` gray values.
  public init(width: Int, height: Int, pixels: [UInt8]) {
    precondition(width >= 0 && height >= 0 && pixels.count == width * height, "pixels must fill the picture")
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// Creates a picture whose pixels `fill` writes. `fill` must write all of them.
  public init(width: Int, height: Int, filledBy fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
    self.width = width
    self.height = height
    let count = width * height
    pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      fill(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
      initialized = count
    }
  }

  /// Creates a picture of a single gray value.
  public init(width: Int, height: Int, gray: UInt8) {
    self.init(width: width, height: height, pixels: [UInt8](repeating: gray, count: width * height))
  }

  /// The longer side in pixels.
  public var longestSide: Int { max(width, height) }

  /// The rows above and below the middle, as many of each as `reach`, that the picture has.
  public func rows(aroundMiddle reach: Int) -> Range<Int> {
    max(0, height / 2 - reach)..<min(height, height / 2 + reach)
  }

  /// The gray value at a position inside the picture.
  public subscript(x: Int, y: Int) -> UInt8 { pixels[y * width + x] }

  /// The negative: light pixels become dark.
  public func inverted() -> GrayPicture {
    GrayPicture(width: width, height: height) { out in
      pixels.withUnsafeBufferPointer { source in
        for index in 0..<source.count { out[index] = 255 &- source[index] }
      }
    }
  }

  /// The part inside a rectangle, clipped to the picture.
  public func cropped(x: Int, y: Int, width: Int, height: Int) -> GrayPicture {
    let left = min(max(0, x), self.width)
    let top = min(max(0, y), self.height)
    let right = min(max(left, x + width), self.width)
    let bottom = min(max(top, y + height), self.height)
    let across = right - left
    return GrayPicture(width: across, height: bottom - top) { out in
      pixels.withUnsafeBufferPointer { source in
        for row in top..<bottom where across > 0 {
          let from = UnsafeBufferPointer(rebasing: source[row * self.width + left..<row * self.width + right])
          let to = UnsafeMutableBufferPointer(
            rebasing: out[(row - top) * across..<(row - top + 1) * across])
          _ = to.update(from: from)
        }
      }
    }
  }
}

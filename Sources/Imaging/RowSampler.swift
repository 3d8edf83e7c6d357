/// Sums up samples for each pixel of a row, bilinear between pixel centres, with the values of `BilinearSampler`.
///
/// It goes through a row in three plain loops, of which compilers vectorise the first and the last.
struct RowSampler {
  private let picture: BilinearSampler
  /// The sums, which may be read and set.
  let sums: UnsafeMutableBufferPointer<Float>
  /// For each place the pixel above it and to its left, and how far it lies from that one's centre, 0...1.
  private let columns, rows: UnsafeMutableBufferPointer<Int32>
  private let right, down: UnsafeMutableBufferPointer<Float>
  /// For each place the pair of pixels above it and that below it, the left one in the lower byte.
  private let above, below: UnsafeMutableBufferPointer<UInt16>

  /// Calls `body` with a sampler for rows of `count` pixels.
  static func with(
    _ source: UnsafeBufferPointer<UInt8>, width: Int, height: Int, count: Int, _ body: (RowSampler) -> Void
  ) {
    func part<Value>(_ memory: UnsafeMutableBufferPointer<Value>, _ index: Int) -> UnsafeMutableBufferPointer<Value> {
      UnsafeMutableBufferPointer(rebasing: memory[index * count..<(index + 1) * count])
    }
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 3 * count) { floats in
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * count) { places in
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 2 * count) { pairs in
          body(
            RowSampler(
              picture: BilinearSampler(source: source, width: width, height: height), sums: part(floats, 0),
              columns: part(places, 0), rows: part(places, 1), right: part(floats, 1), down: part(floats, 2),
              above: part(pairs, 0), below: part(pairs, 1)))
        }
      }
    }
  }

  /// Sets all sums to 0.
  func clear() { sums.update(repeating: 0) }

  /// Adds to each sum the value at its place, 0...255. Pixel centres have integer coordinates.
  @inline(__always)
  func add(at place: (_ pixel: Int32) -> (x: Float, y: Float)) {
    let count = sums.count
    guard picture.width > 1, picture.height > 1 else {
      for pixel in 0..<count {
        let (x, y) = place(Int32(truncatingIfNeeded: pixel))
        sums[pixel] += picture.value(x, y)
      }
      return
    }
    for pixel in 0..<count {
      let (x, y) = place(Int32(truncatingIfNeeded: pixel))
      (columns[pixel], right[pixel]) = Self.split(x, picture.width)
      (rows[pixel], down[pixel]) = Self.split(y, picture.height)
    }
    let pixels = UnsafeRawBufferPointer(picture.source)
    for pixel in 0..<count {
      let first = Int(rows[pixel]) &* picture.width &+ Int(columns[pixel])
      above[pixel] = pixels.loadUnaligned(fromByteOffset: first, as: UInt16.self).littleEndian
      below[pixel] = pixels.loadUnaligned(fromByteOffset: first &+ picture.width, as: UInt16.self).littleEndian
    }
    for pixel in 0..<count {
      let (right, down) = (right[pixel], down[pixel])
      let (above, below) = (Int32(above[pixel]), Int32(below[pixel]))
      let top = Float(above & 0xFF) * (1 - right) + Float(above &>> 8) * right
      let bottom = Float(below & 0xFF) * (1 - right) + Float(below &>> 8) * right
      sums[pixel] += top * (1 - down) + bottom * down
    }
  }

  /// The last of `length` pixels but one that is not beyond a coordinate, and the distance from its centre to the
  /// coordinate, both moved into the picture.
  @inline(__always)
  private static func split(_ coordinate: Float, _ length: Int) -> (pixel: Int32, beyond: Float) {
    let inside = max(0, min(coordinate, Float(length &- 1)))
    // A whole number's neighbour does as well.
    let pixel = min(inside.flooredOrOneLess, Int32(truncatingIfNeeded: length &- 2))
    return (pixel, inside - Float(pixel))
  }
}

extension GrayPicture {
  /// Creates a picture from sums of samples of this one.
  ///
  /// - Parameters:
  ///   - share: What each sample counts for.
  ///   - add: Adds the samples of a row.
  @inline(__always)
  func sampledByRow(
    width outWidth: Int, height outHeight: Int, share: Float, _ add: (_ row: Int, RowSampler) -> Void
  ) -> GrayPicture {
    GrayPicture(width: outWidth, height: outHeight) { out in
      pixels.withUnsafeBufferPointer { source in
        RowSampler.with(source, width: width, height: height, count: outWidth) { sampler in
          for y in 0..<outHeight {
            sampler.clear()
            add(y, sampler)
            let row = y &* outWidth
            for x in 0..<outWidth { out[row &+ x] = UInt8(rounding: sampler.sums[x] * share) }
          }
        }
      }
    }
  }
}

extension UInt8 {
  /// Rounds a gray value of 0..<255.5, halves up, in a way that compilers vectorise.
  @inline(__always)
  init(rounding value: Float) {
    let above = value + 0.5
    let floor = above.flooredOrOneLess
    self.init(truncatingIfNeeded: floor &+ (above - Float(floor) >= 1 ? 1 : 0))
  }
}

extension Float {
  /// The integer below a value of 0..<0x1p22; for a whole number either it or one less. Unlike a conversion, it cannot
  /// fail, so that compilers vectorise it.
  @inline(__always)
  fileprivate var flooredOrOneLess: Int32 {
    // The sum is rounded to an integer, which is in its lowest bits.
    Int32(bitPattern: ((self - 0.5) + 0x1.8p23).bitPattern & 0x3F_FFFF)
  }
}

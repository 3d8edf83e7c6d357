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
    // Adding this rounds to an integer, which then is in the lowest bits. A whole number may come out as one less, of
    // which it is the neighbour.
    let rounded = Int32(bitPattern: ((inside - 0.5) + 0x1.8p23).bitPattern & 0x3F_FFFF)
    let pixel = min(rounded, Int32(truncatingIfNeeded: length &- 2))
    return (pixel, inside - Float(pixel))
  }
}

extension UInt8 {
  /// Rounds a gray value of 0..<255.5, halves up, in a way that compilers vectorise.
  @inline(__always)
  init(rounding value: Float) {
    let above = value + 0.5
    // As in `split`: a whole number may come out as one less.
    let rounded = Int32(bitPattern: ((above - 0.5) + 0x1.8p23).bitPattern & 0x3F_FFFF)
    self.init(truncatingIfNeeded: rounded &+ (above - Float(rounded) >= 1 ? 1 : 0))
  }
}

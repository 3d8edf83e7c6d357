import CLeptonica
import PictureHeader

/// An upright picture in colour: `width * height` pixels 0xRRGGBB00, row by row.
public struct ColorPicture: Sendable, Equatable {
  /// Pixels across.
  public let width: Int
  /// Pixels down.
  public let height: Int
  /// The colours.
  public var pixels: [UInt32]
  /// Pixels across the uploaded picture when upright. More than `width` if the picture was reduced.
  public let fullWidth: Int
  /// Pixels down the uploaded picture when upright.
  public let fullHeight: Int

  /// The brightness of each pixel, 0...255.
  public func grayValues() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: pixels.count) { out, count in
      pixels.withUnsafeBufferPointer { source in
        for index in 0..<source.count {
          let color = source[index]
          let sum = (color &>> 24) &* 77 &+ ((color &>> 16) & 255) &* 150 &+ ((color &>> 8) & 255) &* 29
          out[index] = UInt8(truncatingIfNeeded: sum &>> 8)
        }
      }
      count = pixels.count
    }
  }

  /// Encodes the picture as a JPEG file of the given quality (1...100); nil if memory ran out.
  public func jpeg(quality: Int) -> [UInt8]? {
    guard width * height == pixels.count, let pix = Pix({ pixCreateNoInit(Int32(width), Int32(height), 32) }),
      let data = pixGetData(pix.pointer)
    else { return nil }
    let words = Int(pixGetWpl(pix.pointer))
    for y in 0..<height {
      for x in 0..<width { data[y * words + x] = pixels[y * width + x] }
    }
    return pix.encoded { pixWriteMemJpeg($0, $1, $2, Int32(quality), 0) }
  }
}

extension EncodedPicture {
  /// Decodes the picture to colour and turns it upright.
  ///
  /// - Parameters:
  ///   - pixelLimit: The most pixels the header may declare; checked before decoding.
  ///   - longestSide: Lets a JPEG be decoded at 1/2, 1/4 or 1/8 of its size, if its longer side keeps at least this
  ///     many pixels.
  /// - Throws: `PictureError.tooManyPixels`, or `.damaged` if the data is truncated or inconsistent.
  public func colors(pixelLimit: Int, atLeast longestSide: Int) throws(PictureError) -> ColorPicture {
    try check(pixelLimit)
    guard let stored = try storedColors(pixelLimit, longestSide), let data = pixGetData(stored.pointer) else {
      throw damaged()
    }
    let (width, height) = (stored.width, stored.height)
    let words = Int(pixGetWpl(stored.pointer))
    let orientation = isTurnedByDecoder ? .up : orientation
    let (outWidth, outHeight) = orientation.swapsSides ? (height, width) : (width, height)
    let steps = orientation.storageSteps(width: width, height: height, stride: words)
    let pixels = [UInt32](unsafeUninitializedCapacity: width * height) { out, count in
      for y in 0..<outHeight {
        var from = steps.start &+ y &* steps.down
        for x in 0..<outWidth {
          out[y &* outWidth &+ x] = data[from]
          from &+= steps.across
        }
      }
      count = width * height
    }
    let full = canBeDecodedInPart ? (uprightWidth, uprightHeight) : (outWidth, outHeight)
    return ColorPicture(width: outWidth, height: outHeight, pixels: pixels, fullWidth: full.0, fullHeight: full.1)
  }

  /// Decodes the picture as stored, with 32 bits a pixel.
  func storedColors(_ pixelLimit: Int, _ longestSide: Int) throws(PictureError) -> Pix? {
    guard header.format == .jpeg else { return try color(pixelLimit: pixelLimit) }
    return Pix {
      pixReadMemJpeg(bytes, bytes.count, 0, Int32(reduction(longestSide)), nil, Int32(L_JPEG_CONTINUE_WITH_BAD_DATA))
    }?.color()
  }
}

import CLeptonica
import PictureHeader

extension EncodedPicture {
  /// Makes a small upright JPEG in colour, if the format can be decoded at a fraction of its size. Otherwise colour
  /// would cost as much as decoding the photo once more.
  ///
  /// - Parameters:
  ///   - longestSide: The most pixels of the longer side.
  ///   - mostBytes: The most bytes; lower qualities are tried until it fits.
  /// - Returns: nil if the format can't, the picture can't be decoded, it does not fit, or memory ran out.
  public func colorThumbnail(longestSide: Int, mostBytes: Int, pixelLimit: Int) -> [UInt8]? {
    guard canBeDecodedInPart, let stored = try? storedColors(pixelLimit, longestSide) else { return nil }
    guard let upright = stored.reduced(toSide: longestSide)?.turnedUpright(orientation),
      max(upright.width, upright.height) <= longestSide
    else {
      return nil
    }
    return Pix.smallest(mostBytes) { quality in upright.encoded { pixWriteMemJpeg($0, $1, $2, quality, 0) } }
  }
}

extension GrayPicture {
  /// Makes a small JPEG; see `EncodedPicture.colorThumbnail`.
  public func thumbnail(longestSide: Int, mostBytes: Int) -> [UInt8]? {
    let factor = min(1, Double(longestSide) / Double(max(1, self.longestSide)))
    let small = factor < 1 ? scaled(by: factor) : self
    return Pix.smallest(mostBytes) { small.jpeg(quality: Int($0)) }
  }
}

extension Pix {
  /// The qualities to try, from the best: at 75 a photo of 160 x 120 pixels takes two to five thousand bytes.
  private static let qualities: [Int32] = [75, 50, 25]

  /// Returns the encoding of the best quality that has at most `mostBytes`; nil if none has.
  fileprivate static func smallest(_ mostBytes: Int, _ encode: (Int32) -> [UInt8]?) -> [UInt8]? {
    for quality in qualities {
      guard let bytes = encode(quality) else { return nil }
      if bytes.count <= mostBytes { return bytes }
    }
    return nil
  }
}

import CDecoderWarnings
import CLeptonica
import PictureHeader

extension EncodedPicture {
  /// Decodes the picture to gray and turns it upright.
  ///
  /// - Parameters:
  ///   - pixelLimit: The most pixels the header may declare; checked before decoding.
  ///   - longestSide: Lets a JPEG be decoded at 1/2, 1/4 or 1/8 of its size, if its longer side keeps at least this
  ///     many pixels. That takes a fraction of the time. nil decodes at full size.
  /// - Throws: `PictureError.tooManyPixels`, or `.damaged` if the data is truncated or inconsistent.
  public func gray(pixelLimit: Int, atLeast longestSide: Int? = nil) throws(PictureError) -> DecodedPicture {
    try check(pixelLimit)
    let stored: GrayPicture
    let isDamaged: Bool
    switch header.format {
    case .jpeg: (stored, isDamaged) = try decodedJPEG(reduction: reduction(longestSide))
    case .heic:
      hevc_warnings_clear()
      stored = try HEICDecoder.gray(bytes, pixelLimit: pixelLimit)
      isDamaged = hevc_warnings_count() > 0
    case .webp:
      guard let decoded = WebPDecoder.decoded(bytes), let picture = decoded.picture.gray()?.grayPicture() else {
        throw damaged()
      }
      (stored, isDamaged) = (picture, decoded.isDamaged)
    case .png, .tiff:
      guard let picture = pix()?.gray()?.grayPicture() else { throw damaged() }
      (stored, isDamaged) = (picture, false)
    }
    var decoded = try placed(stored)
    decoded.isDamaged = isDamaged
    return decoded
  }

  /// Decodes the picture to colour as stored, without turning it.
  func color(pixelLimit: Int) throws(PictureError) -> Pix {
    try check(pixelLimit)
    let stored = header.format == .heic ? try HEICDecoder.color(bytes, pixelLimit: pixelLimit) : pix()
    guard let picture = stored?.color() else { throw damaged() }
    return picture
  }

  /// Whether the decoder has already turned the picture upright (HEIC by its properties, TIFF by its tag).
  var isTurnedByDecoder: Bool { header.format == .heic || header.format == .tiff }

  /// How the stored pixels must be turned. A value that EXIF does not define counts as upright.
  var orientation: Orientation { Orientation(rawValue: header.orientation) ?? .up }

  func check(_ limit: Int) throws(PictureError) {
    if header.pixelCount > limit { throw .tooManyPixels(width: header.width, height: header.height, limit: limit) }
  }

  private func placed(_ stored: GrayPicture) throws(PictureError) -> DecodedPicture {
    let upright = isTurnedByDecoder ? stored : stored.upright(from: orientation)
    if header.format == .heic {  // libheif applies the properties, so the stored orientation is never visible
      return DecodedPicture(picture: upright, toUploaded: .identity)
    }
    return DecodedPicture(
      picture: upright, toUploaded: uploadedFromUpright(width: upright.width, height: upright.height))
  }

  /// Whether decoding at a reduced size is cheaper than decoding at full size.
  public var canBeDecodedInPart: Bool { header.format == .jpeg }

  /// The strongest of the reductions 1, 2, 4 and 8 that keeps the longer side at least `longestSide` pixels.
  func reduction(_ longestSide: Int?) -> Int {
    guard let longestSide else { return 1 }
    return [8, 4, 2].first { max(header.width, header.height) / $0 >= longestSide } ?? 1
  }

  /// Decodes only the luminance. libjpeg decodes a damaged file as well as it can and merely warns, so this checks the
  /// warnings and what is left over.
  private func decodedJPEG(reduction: Int) throws(PictureError) -> (GrayPicture, isDamaged: Bool) {
    var warnings: Int32 = 0
    jpeg_data_clear()
    let read = { (hint: Int32) in
      Pix {
        pixReadMemJpeg(
          bytes, bytes.count, 0, Int32(reduction), &warnings, hint | Int32(L_JPEG_CONTINUE_WITH_BAD_DATA))
      }
    }
    // CMYK pictures have no luminance channel; they are decoded in colour first.
    guard let picture = (read(Int32(L_JPEG_READ_LUMINANCE)) ?? read(0))?.gray()?.grayPicture() else {
      throw damaged()
    }
    let isSuspicious = warnings > 0 || jpeg_data_left_over()
    return (picture, isDamaged: isSuspicious && !jpeg_data_fit(bytes, bytes.count))
  }

  private func pix() -> Pix? {
    switch header.format {
    case .jpeg: Pix { pixReadMemJpeg(bytes, bytes.count, 0, 1, nil, 0) }
    case .png: Pix { pixReadMemPng(bytes, bytes.count) }
    case .webp: WebPDecoder.decoded(bytes)?.picture
    case .tiff:
      TIFFErrors.rejecting { Pix { pixReadMemTiff(bytes, bytes.count, Int32(clamping: directory)) } }
    case .heic: nil
    }
  }

  func damaged() -> PictureError {
    .damaged("the \(header.format.rawValue.uppercased()) data cannot be decoded")
  }
}

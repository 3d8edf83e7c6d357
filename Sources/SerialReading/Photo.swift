import Imaging
import ScanModel

/// A photo while it is read: decoded at most once in each size, and only in those that a strategy asks for.
package final class Photo {
  /// The photo's longer side in the picture that lines are looked for in.
  package static let workingSide = 1600

  let file: EncodedPicture
  let pixelLimit: Int
  /// The part of it that is read, as if it were the whole photo; nil where all of it is.
  private let cut: PhotoCut?
  /// What was read so far, over all strategies.
  let textSeen: TextSeen
  /// Readings of etched lines made so far, over all strategies.
  var etchedReadings = 0
  /// How text that runs along a curve was seen.
  var curvedText: [CurvedTextSighting] = []
  /// What was read in strips that such text was unrolled into.
  var unrolledReads: [UnrolledRead] = []
  private var reducedPictures: [Int: DecodedPicture] = [:]
  private var fullPicture: DecodedPicture?
  /// How often it was decoded.
  package private(set) var decodings = 0
  private var knownNoisy: Bool?
  private var knownScreenshot: Bool?
  private var polarities: [Int: TextPolarity] = [:]
  /// The same photo with its noise, where this is what smoothing leaves of it.
  private let noisy: Photo?
  /// The photo that this is a part of, where that was decoded already.
  private let whole: Photo?
  /// Whether every serial is looked for, in place of the device's one.
  let wantsEverySerial: Bool

  /// - Parameters:
  ///   - part: The part that is read; nil for all of it.
  ///   - page: The page of the file that is read; nil for its first.
  ///   - wantsEverySerial: Whether every serial is looked for, in place of the device's one.
  package init(
    bytes: [UInt8], pixelLimit: Int, part: PhotoPart? = nil, page: EncodedPicture? = nil,
    wantsEverySerial: Bool = false
  ) throws(ReadFailure) {
    do throws(PictureError) {
      file = if let page { page } else { try EncodedPicture(bytes) }
    } catch {
      throw ReadFailure(error)
    }
    self.pixelLimit = pixelLimit
    (noisy, whole) = (nil, nil)
    self.wantsEverySerial = wantsEverySerial
    let cut = part.map { [file] in PhotoCut($0, of: file) }
    self.cut = cut
    textSeen = TextSeen(photoSize: cut?.size ?? file.uploadedSize)
  }

  private init(smoothing noisy: Photo) {
    (file, pixelLimit, cut, self.noisy) = (noisy.file, noisy.pixelLimit, noisy.cut, noisy)
    (whole, wantsEverySerial) = (noisy.whole, noisy.wantsEverySerial)
    textSeen = TextSeen(photoSize: noisy.uploadedSize, makers: noisy.textSeen.makers)
  }

  private init(_ part: PhotoPart, of whole: Photo) throws(ReadFailure) {
    (file, pixelLimit, self.whole, noisy) = (whole.file, whole.pixelLimit, whole, nil)
    wantsEverySerial = whole.wantsEverySerial
    let cut = PhotoCut(part, of: try whole.full())
    self.cut = cut
    textSeen = TextSeen(photoSize: cut.size)
  }

  /// A part of it, to be read as a photo of its own.
  func part(_ part: PhotoPart) throws(ReadFailure) -> Photo { try Photo(part, of: self) }

  /// Whether its text is dark or light, by the picture whose longer side has at most so many pixels: measured once.
  func polarity(ofSide limit: Int) throws(ReadFailure) -> TextPolarity {
    if let known = polarities[limit] { return known }
    let found = try TextPolarity(of: reduced(toSide: limit).picture, inNoise: isNoisy())
    polarities[limit] = found
    return found
  }

  /// The same where it was measured already.
  func knownPolarity(ofSide limit: Int) -> TextPolarity? { polarities[limit] }

  /// Whether it was never seen by a camera, or hardly as one sees it: most pixels are their neighbours' equals, and none differs by chance.
  func isScreenshot() throws(ReadFailure) -> Bool {
    if let knownScreenshot { return knownScreenshot }
    let found = if noisy == nil { try Evenness(of: reduced(toSide: Self.workingSide).picture).isDrawn } else { false }
    knownScreenshot = found
    return found
  }

  /// The photo with its noise smoothed; nil where there is none, or it is smooth already.
  ///
  /// Nothing that was read in it is known of the smoothed one, but whose devices it names.
  func smoothed() throws(ReadFailure) -> Photo? {
    guard noisy == nil, try isNoisy() else { return nil }
    return Photo(smoothing: self)
  }

  /// Whether it was taken in so little light that noise stands out from its ground; smoothing leaves some of that.
  func isNoisy() throws(ReadFailure) -> Bool {
    if let knownNoisy { return knownNoisy }
    let found = if noisy == nil { try Noise(of: reduced(toSide: Self.workingSide).picture).hidesStrokes } else { true }
    knownNoisy = found
    return found
  }

  /// Upright, its longer side at most so many pixels.
  package func reduced(toSide limit: Int) throws(ReadFailure) -> DecodedPicture {
    if let known = reducedPictures[limit] { return known }
    if let noisy {
      let picture = try longestUploadedSide > limit ? noisy.reduced(toSide: limit).smoothed() : full()
      reducedPictures[limit] = picture
      return picture
    }
    var picture: DecodedPicture
    if let fullPicture {
      picture = fullPicture
    } else {
      picture = try decoded(atLeast: limit)
      if isWhole(picture, for: limit) { fullPicture = picture }
    }
    let side = picture.picture.longestSide
    if side > limit { picture = picture.scaled(by: Double(limit) / Double(side)) }
    reducedPictures[limit] = picture
    return picture
  }

  /// Whether a picture that was decoded for a size stands for all sizes. Formats that can't be decoded in part are decoded once; a larger
  /// JPEG is decoded anew for each size, since what its decoder reduces is cleaner than what is scaled afterwards.
  private func isWhole(_ picture: DecodedPicture, for limit: Int) -> Bool {
    let side = picture.picture.longestSide
    return side >= longestUploadedSide && (!file.canBeDecodedInPart || side <= limit)
  }

  /// Upright, with all its pixels.
  package func full() throws(ReadFailure) -> DecodedPicture {
    if let fullPicture { return fullPicture }
    let decoded = if let noisy { try noisy.full().smoothed() } else { try decoded(atLeast: nil) }
    fullPicture = decoded
    return decoded
  }

  /// Width and height of what is read, in pixels of the photo as uploaded: all of it, or its part.
  var uploadedSize: PixelSize { cut?.size ?? file.uploadedSize }

  /// Width and height of the whole photo as uploaded, in pixels.
  var wholeSize: PixelSize { file.uploadedSize }

  /// The longer side of what is read, in pixels of the photo as uploaded.
  package var longestUploadedSide: Int { max(uploadedSize.width, uploadedSize.height) }

  /// A place in the whole photo, given one in what is read of it.
  func placed(_ region: Quadrilateral) -> Quadrilateral {
    let placed = cut?.placed(region) ?? region
    return whole?.placed(placed) ?? placed
  }

  /// A place in what is read, given one in the whole photo.
  func unplaced(_ region: Quadrilateral) -> Quadrilateral {
    let inWhole = whole?.unplaced(region) ?? region
    return cut?.unplaced(inWhole) ?? inWhole
  }

  private func decoded(atLeast side: Int?) throws(ReadFailure) -> DecodedPicture {
    if let whole, let cut { return cut.cut(try whole.full()) }
    decodings += 1
    do throws(PictureError) {
      let whole = try file.gray(pixelLimit: pixelLimit, atLeast: side.map { cut?.wholeSide(for: $0) ?? $0 })
      return cut?.cut(whole) ?? whole
    } catch {
      throw ReadFailure(error)
    }
  }
}

extension DecodedPicture {
  /// The same picture in another size.
  func scaled(by factor: Double) -> DecodedPicture {
    let scaled = picture.scaled(by: factor)
    let back = PixelTransform.scale(
      Double(picture.width) / Double(scaled.width), Double(picture.height) / Double(scaled.height))
    return DecodedPicture(picture: scaled, toUploaded: back.then(toUploaded))
  }

  /// The same picture with less noise.
  func smoothed() -> DecodedPicture { DecodedPicture(picture: picture.smoothed(), toUploaded: toUploaded) }

  /// The same picture turned by any angle (radians).
  func rotated(by angle: Double) -> DecodedPicture {
    let (turned, back) = picture.rotated(by: angle)
    return DecodedPicture(picture: turned, toUploaded: back.then(toUploaded))
  }

  /// The same picture turned clockwise by 90 degrees.
  func turnedClockwise() -> DecodedPicture {
    DecodedPicture(
      picture: picture.turnedClockwise(),
      toUploaded: Orientation.right.storedFromUpright(width: picture.width, height: picture.height).then(toUploaded))
  }
}

extension EncodedPicture {
  /// Width and height as it was uploaded, in pixels.
  var uploadedSize: PixelSize { PixelSize(width: uploadedWidth, height: uploadedHeight) }
}

extension Noise {
  /// From which share of the brightness on noise is marked as strokes and hides print, and its least deviation in gray values: in the dark
  /// pixels differ by such a share when they are rounded.
  private static let leastShare = 0.03
  private static let leastDeviation = 1.2

  /// Whether there is so much of it that print may not be found.
  var hidesStrokes: Bool { share >= Self.leastShare && deviation >= Self.leastDeviation }
}

extension ReadFailure {
  /// What a picture error means for the one who sent the photo.
  package init(_ error: PictureError) {
    switch error {
    case .notAPicture(let name):
      let what = name.map { "looks like \($0)" } ?? "isn't a readable image"
      self.init(.notAPicture, "This \(what). Send a JPEG, PNG, WebP, TIFF or HEIC file.")
    case .damaged(let clause):
      self.init(.damagedPicture, "The picture is damaged: \(clause). Send it again.")
    case .tooManyPixels(let width, let height, let limit):
      self.init(
        .tooManyPixels,
        "The picture has \(width) x \(height) pixels, more than the limit of \(limit). Send a smaller one.")
    }
  }
}

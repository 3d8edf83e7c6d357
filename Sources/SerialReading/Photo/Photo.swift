import Imaging
import ScanModel

/// What is different when a photo is read once more.
enum Change {
  /// Only the part in which its small print stands is read.
  case closer
  /// Its noise is smoothed.
  case smoothed
  /// It is divided by its ground, so that shadows vanish with their edges.
  case evened

  /// Changes a picture.
  func applied(to picture: GrayPicture) -> GrayPicture {
    switch self {
    case .closer: picture
    case .smoothed: picture.smoothed()
    case .evened: picture.evened()
    }
  }
}

/// A photo while it is read. Each size is decoded at most once, and only when a strategy needs it.
package final class Photo {
  /// The longer side in pixels of the picture in which lines are searched.
  package static let workingSide = 1600
  /// The same for the rows of a screenshot, whose print is sharp and only as large as a screen needs.
  static let screenshotSide = 3000

  let file: EncodedPicture
  let limits: PictureLimits
  /// The part of the photo that is read as a photo of its own; nil for the whole photo.
  private let cut: PhotoCut?
  /// The text read so far by all strategies.
  let textSeen: TextSeen
  /// The readings of etched lines made so far by all strategies.
  var etchedReadings = 0
  /// Sightings of text along a curve.
  var curvedText: [CurvedTextSighting] = []
  private var reducedPictures: [Int: DecodedPicture] = [:]
  private var fullPicture: DecodedPicture?
  /// The number of times the file was decoded.
  package private(set) var decodings = 0
  private var isDecodedDamaged = false
  private var knownNoise: Noise?
  private var knownScreenshot: Bool?
  private var polarities: [Int: TextPolarity] = [:]
  /// What is different from how the photo is usually read; nil if nothing.
  let change: Change?
  /// The photo of which this is a changed copy; nil for photos and their parts.
  private let original: Photo?
  /// The photo of which this is a part, if that was already decoded.
  private let whole: Photo?
  /// Whether every serial is wanted instead of only the device's own.
  let wantsEverySerial: Bool

  /// Opens a photo.
  ///
  /// - Parameters:
  ///   - part: The part to read; nil for the whole photo.
  ///   - page: The page of the file to read; nil for its first.
  package init(
    bytes: [UInt8], limits: PictureLimits, part: PhotoPart? = nil, page: EncodedPicture? = nil,
    wantsEverySerial: Bool = false
  ) throws(ReadFailure) {
    do throws(PictureError) {
      file = if let page { page } else { try EncodedPicture(bytes) }
    } catch {
      throw ReadFailure(error)
    }
    self.limits = limits
    (change, original, whole) = (nil, nil, nil)
    self.wantsEverySerial = wantsEverySerial
    let cut = part.map { [file] in PhotoCut($0, of: file) }
    self.cut = cut
    textSeen = TextSeen(photoSize: cut?.size ?? file.uploadedSize, wantsEverySerial: wantsEverySerial)
  }

  private init(_ change: Change, of original: Photo) {
    (self.change, self.original, whole) = (change, original, original.whole)
    (file, limits, cut, wantsEverySerial) = (original.file, original.limits, original.cut, original.wantsEverySerial)
    textSeen = TextSeen(
      photoSize: original.uploadedSize, makers: original.textSeen.makers, wantsEverySerial: original.wantsEverySerial)
  }

  private init(_ part: PhotoPart, of whole: Photo, isCloser: Bool) throws(ReadFailure) {
    (change, original, self.whole) = (isCloser ? .closer : nil, nil, whole)
    (file, limits, wantsEverySerial) = (whole.file, whole.limits, whole.wantsEverySerial)
    let cut = PhotoCut(part, of: try whole.full())
    self.cut = cut
    textSeen = TextSeen(
      photoSize: cut.size, makers: isCloser ? whole.textSeen.makers : MakersSeen(),
      wantsEverySerial: whole.wantsEverySerial)
  }

  /// A part of the photo, to be read as a photo of its own.
  ///
  /// - Parameter isCloser: Whether it shows the same device, so that makers named in the photo count.
  func part(_ part: PhotoPart, isCloser: Bool = false) throws(ReadFailure) -> Photo {
    try Photo(part, of: self, isCloser: isCloser)
  }

  /// Whether the file is damaged although it could be decoded, so that parts of the picture may be wrong.
  package var isDamaged: Bool { isDecodedDamaged || (original ?? whole)?.isDamaged ?? false }

  /// The polarity of its text (dark or light), measured once in the picture whose longer side is at most `limit`
  /// pixels.
  func polarity(ofSide limit: Int) throws(ReadFailure) -> TextPolarity {
    if let known = polarities[limit] { return known }
    let found = try TextPolarity(of: reduced(toSide: limit).picture, inNoise: isNoisy(), isScreenshot: isScreenshot())
    polarities[limit] = found
    return found
  }

  /// The polarity, if it was already measured.
  func knownPolarity(ofSide limit: Int) -> TextPolarity? { polarities[limit] }

  /// Whether it is a screenshot: most pixels equal their neighbours, which camera noise prevents.
  func isScreenshot() throws(ReadFailure) -> Bool {
    if original != nil { return false }
    if let knownScreenshot { return knownScreenshot }
    let found = try workingPicture().picture.isDrawn
    knownScreenshot = found
    textSeen.isOfScreenshot = found
    return found
  }

  /// The longer side in pixels of the picture in which rows are searched.
  ///
  /// - Parameter configured: The configured side for photos.
  func rowsSide(_ configured: Int) throws(ReadFailure) -> Int {
    try isScreenshot() ? max(configured, Self.screenshotSide) : configured
  }

  /// A changed copy, which keeps nothing that was read except the makers named in the photo.
  func changed(_ change: Change) -> Photo { Photo(change, of: self) }

  /// The noise of the photo, measured once.
  func noise() throws(ReadFailure) -> Noise {
    if let knownNoise { return knownNoise }
    let found = Noise(of: try workingPicture().picture)
    knownNoise = found
    return found
  }

  /// Whether noise stands out from the ground, as in low light. A copy counts as noisy if its original is.
  func isNoisy() throws(ReadFailure) -> Bool {
    if let original { return try original.isNoisy() }
    return try noise().hidesStrokes
  }

  /// The upright picture, its longer side at most `limit` pixels.
  package func reduced(toSide limit: Int) throws(ReadFailure) -> DecodedPicture {
    if let known = reducedPictures[limit] { return known }
    if let original, let change {
      let picture =
        try longestUploadedSide > limit ? original.reduced(toSide: limit).changed(change) : full()
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

  /// The upright picture in which lines are searched, its longer side at most `workingSide` pixels.
  func workingPicture() throws(ReadFailure) -> DecodedPicture { try reduced(toSide: Self.workingSide) }

  /// Whether a picture decoded for one size serves all sizes.
  ///
  /// Formats that can't be decoded at a reduced size are decoded once. A larger JPEG is decoded for each size, because
  /// its decoder reduces more cleanly than later scaling.
  private func isWhole(_ picture: DecodedPicture, for limit: Int) -> Bool {
    let side = picture.picture.longestSide
    return side >= longestUploadedSide && (!file.canBeDecodedInPart || side <= limit)
  }

  /// The upright picture with all its pixels.
  package func full() throws(ReadFailure) -> DecodedPicture {
    if let fullPicture { return fullPicture }
    let decoded =
      if let original, let change { try original.full().changed(change) } else { try decoded(atLeast: nil) }
    fullPicture = decoded
    return decoded
  }

  /// Width and height of the read area (the whole photo or its part), in pixels of the photo as uploaded.
  var uploadedSize: PixelSize { cut?.size ?? file.uploadedSize }

  /// Width and height of the whole photo as uploaded, in pixels.
  var wholeSize: PixelSize { file.uploadedSize }

  /// The longer side of the read area, in pixels of the photo as uploaded.
  package var longestUploadedSide: Int { max(uploadedSize.width, uploadedSize.height) }

  /// Converts a region from the read area to the whole photo.
  func placed(_ region: Quadrilateral) -> Quadrilateral {
    let placed = cut?.placed(region) ?? region
    return whole?.placed(placed) ?? placed
  }

  /// Converts a region from the whole photo to the read area.
  func unplaced(_ region: Quadrilateral) -> Quadrilateral {
    let inWhole = whole?.unplaced(region) ?? region
    return cut?.unplaced(inWhole) ?? inWhole
  }

  private func decoded(atLeast side: Int?) throws(ReadFailure) -> DecodedPicture {
    if let whole, let cut { return cut.cut(try whole.full()) }
    decodings += 1
    do throws(PictureError) {
      let whole = try file.gray(pixelLimit: limits.maxPixels, atLeast: side.map { cut?.wholeSide(for: $0) ?? $0 })
      isDecodedDamaged = isDecodedDamaged || whole.isDamaged
      return cut?.cut(whole) ?? whole
    } catch {
      throw ReadFailure(error)
    }
  }
}

/// A part of a photo that is read as a photo of its own.
///
/// Its coordinates are pixels of the photo as uploaded, counted from the part's own corner.
struct PhotoCut {
  private let part: PhotoPart
  /// The part's top left corner in pixels of the photo as uploaded.
  private let origin: PlanePoint
  /// Width and height in pixels of the photo as uploaded, at least 1.
  let size: PixelSize
  /// The longer sides of the part and of the whole photo, in pixels.
  private let longest: (part: Int, whole: Int)

  /// Creates a part of a photo's file.
  init(_ part: PhotoPart, of file: EncodedPicture) {
    self.init(part, width: file.uprightWidth, height: file.uprightHeight, map: file.uploadedFromUpright)
  }

  /// Creates a part of a picture decoded at full size.
  init(_ part: PhotoPart, of picture: DecodedPicture) {
    self.init(part, width: picture.picture.width, height: picture.picture.height, map: picture.toUploaded)
  }

  private init(_ part: PhotoPart, width: Int, height: Int, map: PixelTransform) {
    self.part = part
    let (columns, rows) = Self.pixels(of: part, width: width, height: height)
    let first = map.apply(Double(columns.lowerBound), Double(rows.lowerBound))
    let last = map.apply(Double(columns.upperBound), Double(rows.upperBound))
    origin = pointwiseMin(first, last)
    size = PixelSize(width: Self.side(last.x - first.x), height: Self.side(last.y - first.y))
    longest = (max(columns.count, rows.count), max(width, height))
  }

  /// The longer side of the whole photo at which the part's longer side has `side` pixels.
  func wholeSide(for side: Int) -> Int {
    let needed = (Double(side) * Double(longest.whole) / Double(longest.part)).rounded(.up)
    return min(longest.whole, Int(exactly: needed) ?? longest.whole)
  }

  /// Cuts the part out of the decoded photo.
  func cut(_ whole: DecodedPicture) -> DecodedPicture {
    let (columns, rows) = Self.pixels(of: part, width: whole.picture.width, height: whole.picture.height)
    let picture = whole.picture.cropped(
      x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    let toWhole = PixelTransform.shift(Double(columns.lowerBound), Double(rows.lowerBound)).then(whole.toUploaded)
    return DecodedPicture(picture: picture, toUploaded: toWhole.then(.shift(-origin.x, -origin.y)))
  }

  /// Converts a region from the part to the whole photo.
  func placed(_ region: Quadrilateral) -> Quadrilateral {
    region.mapped(by: .shift(origin.x, origin.y))
  }

  /// Converts a region from the whole photo to the part.
  func unplaced(_ region: Quadrilateral) -> Quadrilateral {
    region.mapped(by: .shift(-origin.x, -origin.y))
  }

  private static func side(_ distance: Double) -> Int { max(1, Int(exactly: abs(distance).rounded()) ?? 1) }

  /// The columns and rows of an upright picture that the part touches, at least one each.
  private static func pixels(of part: PhotoPart, width: Int, height: Int) -> (columns: Range<Int>, rows: Range<Int>) {
    func pixels(_ first: Double, _ last: Double, _ count: Int) -> Range<Int> {
      let start = min(count - 1, max(0, Int(exactly: (first * Double(count)).rounded(.down)) ?? 0))
      let end = Int(exactly: (last * Double(count)).rounded(.up)) ?? count
      return start..<max(start + 1, min(count, end))
    }
    return (pixels(part.left, part.right, width), pixels(part.top, part.bottom, height))
  }
}

extension DecodedPicture {
  func scaled(by factor: Double) -> DecodedPicture {
    let scaled = picture.scaled(by: factor)
    let back = PixelTransform.scale(
      Double(picture.width) / Double(scaled.width), Double(picture.height) / Double(scaled.height))
    return DecodedPicture(picture: scaled, toUploaded: back.then(toUploaded))
  }

  /// Resamples the picture to a size in pixels, of which at least one is kept along each side.
  ///
  /// - Parameter map: Maps the pixels of the result to those of this picture.
  func resampled(width: Int, height: Int, from map: PixelTransform) -> DecodedPicture {
    DecodedPicture(
      picture: picture.resampled(width: max(1, width), height: max(1, height), from: map),
      toUploaded: map.then(toUploaded))
  }

  func changed(_ change: Change) -> DecodedPicture {
    DecodedPicture(picture: change.applied(to: picture), toUploaded: toUploaded)
  }

  /// Rotates the picture by an angle (radians).
  func rotated(by angle: Double) -> DecodedPicture {
    let (turned, back) = picture.rotated(by: angle)
    return DecodedPicture(picture: turned, toUploaded: back.then(toUploaded))
  }

  /// Turns the picture clockwise by 90 degrees.
  func turnedClockwise() -> DecodedPicture {
    DecodedPicture(
      picture: picture.turnedClockwise(),
      toUploaded: Orientation.right.storedFromUpright(width: picture.width, height: picture.height).then(toUploaded))
  }
}

extension EncodedPicture {
  var uploadedSize: PixelSize { PixelSize(width: uploadedWidth, height: uploadedHeight) }
}

extension Noise {
  /// The least share of the brightness, and the least deviation in gray values, of noise that is marked as strokes and
  /// hides print. In dark pictures rounding alone causes such a share.
  private static let leastShare = 0.03
  private static let leastDeviation = 1.2
  /// The least share of the brightness of noise that is as strong as print.
  private static let shareOfPrint = 0.15

  /// Whether the noise is strong enough to hide print.
  var hidesStrokes: Bool { share >= Self.leastShare && deviation >= Self.leastDeviation }
  /// Whether the noise is as strong as print, so that what could be read says little about what could not.
  var looksLikeStrokes: Bool { hidesStrokes && share >= Self.shareOfPrint }
}

extension ReadFailure {
  /// Converts a picture error to a message for the sender of the photo.
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

extension GrayPicture {
  /// The spacing of the rows that are sampled for even colours.
  private static let stepOfEven = 4
  /// The least share of pixels that equal their right neighbours in what was drawn, such as a desktop with a photo or
  /// gradient behind its windows. Photos reach half.
  private static let leastOfDrawn = 0.6

  /// Whether it was drawn rather than photographed, by its share of even colours.
  package var isDrawn: Bool {
    guard width > 1 else { return false }
    var (equal, all) = (0, 0)
    pixels.withUnsafeBufferPointer { pixels in
      for y in stride(from: 0, to: height, by: Self.stepOfEven) {
        let row = y * width
        for x in row..<row + width - 1 where pixels[x] == pixels[x + 1] { equal += 1 }
        all += width - 1
      }
    }
    return Double(equal) / Double(max(1, all)) >= Self.leastOfDrawn
  }
}

import Imaging

/// Reads the codes of a picture with zbar and ZXing, whose results complement each other.
///
/// First the whole picture, then, where asked, its patterned regions at twice their size: small codes of phone photos
/// are read there only.
public struct BarcodeReader: Sendable {
  /// The most codes returned; a picture full of codes is no photo of a label.
  public var mostCodes = 32
  /// Longest side in pixels at which the whole picture is searched; regions are cut from the full resolution.
  public var wholePictureSide = 1600
  /// The most regions searched.
  public var mostRegions = 5
  /// Regions with a longer side than this are searched as they are, not enlarged.
  public var longestEnlargedSide = 900
  /// The most pixels of a region that is searched; larger ones are reduced.
  public var regionPixelLimit = 3_000_000

  /// Creates a reader.
  public init() {}

  /// The codes that are found in the whole picture.
  public func codes(in picture: GrayPicture) -> [Barcode] {
    let factor = min(1, Double(wholePictureSide) / Double(max(1, picture.longestSide)))
    let searched = factor < 1 ? picture.scaled(by: factor) : picture
    return read(searched, most: mostCodes).map { $0.moved(x: 0, y: 0, scale: factor) }
  }

  /// The large codes of a picture: those that one library finds at half the size, at a tenth of the cost of `codes(in:)`.
  public func largeCodes(in picture: GrayPicture) -> [Barcode] {
    let factor = min(1, Double(wholePictureSide / 2) / Double(max(1, picture.longestSide)))
    let searched = factor < 1 ? picture.scaled(by: factor) : picture
    return ZXingReading.codes(in: searched, most: mostCodes).map { $0.moved(x: 0, y: 0, scale: factor) }
  }

  /// The codes that are found in patterned regions of the picture, enlarged.
  ///
  /// - Parameters:
  ///   - hasTime: Asked before every region; `false` ends the search.
  ///   - isEnough: Asked after every region with all that was found so far; `true` ends the search.
  public func codesInRegions(
    of picture: GrayPicture, while hasTime: () -> Bool,
    isEnough: ([Barcode]) -> Bool = { _ in false }
  ) -> [Barcode] {
    var found: [Barcode] = []
    for region in CodeRegions.find(in: picture, most: mostRegions) {
      guard hasTime(), found.count < mostCodes else { break }
      let cut = picture.cropped(x: region.x, y: region.y, width: region.width, height: region.height)
      let factor = enlargement(of: cut)
      let codes = read(cut.scaled(by: factor), most: mostCodes)
        .map { $0.moved(x: Double(region.x), y: Double(region.y), scale: factor) }
      found = Self.merged(found + codes)
      if isEnough(found) { break }
    }
    return Array(found.prefix(mostCodes))
  }

  /// One entry a payload and symbology, with the libraries that read it; ZXing's corners before zbar's.
  public static func merged(_ codes: [Barcode]) -> [Barcode] {
    var merged: [Barcode] = []
    for code in codes {
      guard let same = merged.firstIndex(where: { $0.text == code.text && $0.symbology == code.symbology }) else {
        merged.append(code)
        continue
      }
      if code.libraries.contains(.zxing), !merged[same].libraries.contains(.zxing) {
        merged[same].corners = code.corners
      }
      merged[same].libraries.formUnion(code.libraries)
      if code.isGS1 { merged[same].isGS1 = true }
    }
    return merged
  }

  private func read(_ picture: GrayPicture, most: Int) -> [Barcode] {
    var codes = ZXingReading.codes(in: picture, most: most) + ZBarReading.codes(in: picture, most: most)
    // Light codes on a dark ground, which neither looks for. zbar takes twice as long, and is asked only where there is one.
    let negative = picture.inverted()
    let light = ZXingReading.codes(in: negative, most: most)
    if !light.isEmpty { codes += light + ZBarReading.codes(in: negative, most: most) }
    return Array(Self.merged(codes).prefix(most))
  }

  private func enlargement(of region: GrayPicture) -> Double {
    let wanted = region.longestSide <= longestEnlargedSide ? 2.0 : 1.0
    let pixels = Double(max(1, region.width * region.height))
    return min(wanted, (Double(regionPixelLimit) / pixels).squareRoot())
  }
}

import Imaging

/// Reads the codes of a picture with zbar and ZXing, whose results complement each other.
///
/// `codes(in:)` searches the whole picture, `codesInRegions(of:while:isEnough:)` its patterned regions at twice their
/// size: small codes of phone photos are readable only there. `codes(inLevel:)` searches a label that was turned level.
public struct BarcodeReader: Sendable {
  /// The most codes returned. A picture with more codes is not a photo of a label.
  public var mostCodes = 32
  /// The longer side in pixels at which the whole picture is searched. Regions are cut from the full resolution.
  public var wholePictureSide = 1600
  /// The most regions searched.
  public var mostRegions = 5
  /// The longest side in pixels of a region that is enlarged. Larger regions are searched at their own size.
  public var longestEnlargedSide = 900
  /// The most pixels of a searched region; larger ones are reduced.
  public var regionPixelLimit = 3_000_000

  /// Creates a reader.
  public init() {}

  /// Finds codes in the whole picture.
  public func codes(in picture: GrayPicture) -> [Barcode] { codes(in: picture, linear: true) }

  /// Finds codes in a level picture of a label. Searches it only if it shows bars, a finder pattern or a clock track, which
  /// in a tilted picture may not be found.
  public func codes(inLevel picture: GrayPicture) -> [Barcode] {
    guard CodePatterns.stand(in: picture, orTracks: true) else { return [] }
    return codes(in: picture, linear: CodePatterns.stand(in: picture))
  }

  private func codes(in picture: GrayPicture, linear: Bool) -> [Barcode] {
    let factor = min(1, Double(wholePictureSide) / Double(max(1, picture.longestSide)))
    let searched = factor < 1 ? picture.scaled(by: factor) : picture
    return read(searched, most: mostCodes, linear: linear).map { $0.moved(x: 0, y: 0, scale: factor) }
  }

  /// Finds large codes with ZXing alone at half the size, for a tenth of the cost of `codes(in:)`.
  public func largeCodes(in picture: GrayPicture) -> [Barcode] {
    let factor = min(1, Double(wholePictureSide / 2) / Double(max(1, picture.longestSide)))
    let searched = factor < 1 ? picture.scaled(by: factor) : picture
    return ZXingReading.codes(in: searched, most: mostCodes).map { $0.moved(x: 0, y: 0, scale: factor) }
  }

  /// Finds codes in patterned regions of the picture, enlarged.
  ///
  /// - Parameters:
  ///   - hasTime: Called before every region; `false` ends the search.
  ///   - isEnough: Called after every region with all codes found so far; `true` ends the search.
  public func codesInRegions(
    of picture: GrayPicture, while hasTime: () -> Bool,
    isEnough: ([Barcode]) -> Bool = { _ in false }
  ) -> [Barcode] {
    var found: [Barcode] = []
    for region in CodeRegions.find(in: picture, most: mostRegions) {
      guard hasTime(), found.count < mostCodes else { break }
      let cut = picture.cropped(x: region.x, y: region.y, width: region.width, height: region.height)
      guard CodePatterns.stand(in: cut, orTracks: true) else { continue }
      let factor = enlargement(of: cut)
      // Clock tracks are not those of linear codes.
      let codes = read(cut.scaled(by: factor), most: mostCodes, linear: CodePatterns.stand(in: cut))
        .map { $0.moved(x: Double(region.x), y: Double(region.y), scale: factor) }
      found = Self.merged(found + codes)
      if isEnough(found) { break }
    }
    return Array(found.prefix(mostCodes))
  }

  /// Merges codes into one entry per payload and symbology, with all libraries that read it. Prefers ZXing's corners to
  /// zbar's.
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

  private func read(_ picture: GrayPicture, most: Int, linear: Bool) -> [Barcode] {
    var codes = ZXingReading.codes(in: picture, most: most, linear: linear)
    // zbar takes twice as long as ZXing.
    let showsPattern = !codes.isEmpty || CodePatterns.stand(in: picture)
    if showsPattern { codes += ZBarReading.codes(in: picture, most: most) }
    // Neither library looks for light codes on dark ground, so the negative is searched too, by zbar only if ZXing finds
    // one.
    let negative = picture.inverted()
    let light = ZXingReading.codes(in: negative, most: most, linear: showsPattern)
    if !light.isEmpty { codes += light + ZBarReading.codes(in: negative, most: most) }
    return Array(Self.merged(codes).prefix(most))
  }

  private func enlargement(of region: GrayPicture) -> Double {
    let wanted = region.longestSide <= longestEnlargedSide ? 2.0 : 1.0
    let pixels = Double(max(1, region.width * region.height))
    return min(wanted, (Double(regionPixelLimit) / pixels).squareRoot())
  }
}

import Foundation
import Imaging
import ScanModel

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
    self.init(
      part, width: picture.picture.width, height: picture.picture.height, map: picture.toUploaded)
  }

  private init(_ part: PhotoPart, width: Int, height: Int, map: PixelTransform) {
    self.part = part
    let (columns, rows) = Self.pixels(of: part, width: width, height: height)
    let first = map.apply(Double(columns.lowerBound), Double(rows.lowerBound))
    let last = map.apply(Double(columns.upperBound), Double(rows.upperBound))
    origin = (min(first.x, last.x), min(first.y, last.y))
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

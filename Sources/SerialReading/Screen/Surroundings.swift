import Imaging
import ReaderProtocol

/// The part of a photo beside or below a label, cut level.
enum LabelSurroundings {
  /// Where a value may stand.
  enum Side: CaseIterable {
    case right
    case below

    /// For the read.
    var relation: LabelPlace.Relation { self == .right ? .row : .above }

    /// Lengths in heights of the label's capitals: how far the cut begins from the label, how long and high it is, and
    /// how far its middle lies below the label's.
    fileprivate var shape: (start: Double, length: Double, height: Double, drop: Double) {
      switch self {
      case .right: (0.3, 60, 3.4, 0)
      case .below: (-1, 22, 3.6, 2.4)
      }
    }

    /// Whether a line of the cut may be the value's: in the label's row, or anywhere below it.
    func holds(_ line: TextSegment, in picture: GrayPicture) -> Bool {
      guard (capital * 0.55...capital * 1.8).contains(Double(line.capitalHeight)) else { return false }
      guard self == .right else { return true }
      let middle = Double(line.slope * line.left + line.offset)
      return abs(middle - Double(picture.height) / 2) < 0.9 * capital
    }
  }

  /// Height of the label's capitals in the cut, in pixels, at least.
  private static let capital = 18.0

  /// What is beside a label, level, in the label's direction of reading; nil where the photo ends there.
  static func cut(
    _ side: Side, of label: LabelSighting, in photo: Photo
  ) throws(ReadFailure) -> DecodedPicture? {
    let source = try picture(for: label, of: photo)
    guard let toSource = source.toUploaded.inverse else { return nil }
    let left = toSource.apply(label.left.x, label.left.y)
    let right = toSource.apply(label.right.x, label.right.y)
    let labelLength = ((right.x - left.x) * (right.x - left.x) + (right.y - left.y) * (right.y - left.y)).squareRoot()
    guard labelLength > 4 else { return nil }
    let direction = (x: (right.x - left.x) / labelLength, y: (right.y - left.y) / labelLength)
    let height = label.capital * Double(source.picture.longestSide) / Double(photo.longestUploadedSide)
    let origin = side == .right ? right : left
    let (start, length, high, drop) = side.shape
    let x = origin.x + height * (start * direction.x - drop * direction.y)
    let y = origin.y + height * (start * direction.y + drop * direction.x)
    let reach = min(length * height, way(from: (x, y), direction, source.picture))
    guard reach > 5 * height, height > 2 else { return nil }
    let scale = capital / height
    let cutHeight = high * capital
    let toPicture = PixelTransform(
      xx: direction.x / scale, xy: -direction.y / scale, yx: direction.y / scale, yy: direction.x / scale,
      dx: x + cutHeight / 2 / scale * direction.y, dy: y - cutHeight / 2 / scale * direction.x)
    let cut = source.picture.resampled(width: Int(reach * scale), height: Int(cutHeight), from: toPicture)
    return DecodedPicture(picture: cut, toUploaded: toPicture.then(source.toUploaded))
  }

  /// The photo in the size in which the label's capitals are large enough.
  private static func picture(for label: LabelSighting, of photo: Photo) throws(ReadFailure) -> DecodedPicture {
    let reduced = try photo.reduced(toSide: Photo.workingSide)
    let capital = label.capital * Double(reduced.picture.longestSide) / Double(photo.longestUploadedSide)
    return capital < Self.capital ? try photo.full() : reduced
  }

  /// How far one can go from a point in a direction until the picture ends, in pixels; 0 outside of it.
  private static func way(
    from start: (x: Double, y: Double), _ direction: (x: Double, y: Double), _ picture: GrayPicture
  ) -> Double {
    func reach(_ place: Double, _ step: Double, _ end: Double) -> Double {
      if place < 0 || place > end { return 0 }
      return abs(step) < 1e-9 ? .infinity : step > 0 ? (end - place) / step : -place / step
    }
    return min(
      reach(start.x, direction.x, Double(picture.width - 1)), reach(start.y, direction.y, Double(picture.height - 1)))
  }
}

import Imaging
import ScanModel

/// The printed or lit part of a photo, turned so that its edges and lines are parallel to the picture's, and enlarged
/// if it is small.
struct LabelView {
  /// The view.
  var picture: DecodedPicture
  /// The angle by which it was turned, in degrees, clockwise as seen.
  var degrees: Double
  /// Pixels of the view per pixel of the photo's working picture.
  var scale: Double

  /// The tilt in degrees below which the picture is not turned; the line finder tolerates it.
  static let leastTilt = 6.0
  /// The longer side in pixels to which small regions are enlarged, and the greatest enlargement.
  static let side = 1500.0
  static let mostEnlargement = 2.6

  /// Creates the view; nil if it would equal the photo.
  init?(of photo: Photo) throws(ReadFailure) {
    let reduced = try photo.reduced(toSide: Photo.workingSide)
    let small = reduced.picture.scaled(by: min(1, 640 / Double(reduced.picture.longestSide)))
    let tilt = DominantTilt(of: small)
    let degrees = tilt.isClear && abs(tilt.degrees) >= Self.leastTilt ? tilt.degrees : 0
    let (level, back) = small.rotated(by: -degrees * .pi / 180)
    let region = PatternedRegion.find(in: level, turnedBy: degrees)
    let share = Double(max(region.width, region.height)) / Double(level.longestSide)
    guard degrees != 0 || share < 0.62 else { return nil }
    let toReduced = Double(reduced.picture.width) / Double(small.width)
    // Pixels of the region in the reduced picture, and their enlargement for the view.
    let longest = Double(max(region.width, region.height)) * toReduced
    let enlargement = max(1, min(Self.mostEnlargement, Self.side / longest))
    let full = enlargement > 1.2 ? try photo.full() : reduced
    let toSource = Double(full.picture.width) / Double(small.width)
    // View pixel -> level pixel -> small pixel -> source pixel.
    let viewToLevel = PixelTransform(
      xx: 1 / (toReduced * enlargement), xy: 0, yx: 0, yy: 1 / (toReduced * enlargement), dx: Double(region.x),
      dy: Double(region.y))
    let viewToSource = viewToLevel.then(back).then(.scale(toSource, toSource))
    let width = Int(Double(region.width) * toReduced * enlargement)
    let height = Int(Double(region.height) * toReduced * enlargement)
    let view = full.picture.resampled(width: max(1, width), height: max(1, height), from: viewToSource)
    picture = DecodedPicture(picture: view, toUploaded: viewToSource.then(full.toUploaded))
    self.degrees = -degrees
    scale = enlargement
  }
}

import Foundation
import Imaging
import ScanModel

/// The printed or lit part of a photo, turned so that its edges and lines are parallel to the picture's, and enlarged
/// if it is small.
struct LabelView {
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
    let reduced = try photo.workingPicture()
    let small = reduced.picture.scaled(by: min(1, 640 / Double(reduced.picture.longestSide)))
    let tilt = DominantTilt(of: small)
    let degrees = tilt.isClear && abs(tilt.degrees) >= Self.leastTilt ? tilt.degrees : 0
    let (level, back) = small.rotated(by: -degrees * .pi / 180)
    let region = PatternedRegion.find(in: level)
    let share = Double(max(region.width, region.height)) / Double(level.longestSide)
    guard degrees != 0 || share < 0.62 else { return nil }
    let toReduced = Double(reduced.picture.width) / Double(small.width)
    // Pixels of the region in the reduced picture, and their enlargement for the view.
    let longest = Double(max(region.width, region.height)) * toReduced
    let enlargement = max(1, min(Self.mostEnlargement, Self.side / longest))
    let full = enlargement > 1.2 ? try photo.full() : reduced
    let toSource = Double(full.picture.width) / Double(small.width)
    // View pixel -> level pixel -> small pixel -> source pixel.
    let shrink = 1 / (toReduced * enlargement)
    let viewToLevel = PixelTransform.scale(shrink, shrink).then(.shift(Double(region.x), Double(region.y)))
    let viewToSource = viewToLevel.then(back).then(.scale(toSource, toSource))
    let width = Int(Double(region.width) * toReduced * enlargement)
    let height = Int(Double(region.height) * toReduced * enlargement)
    picture = full.resampled(width: width, height: height, from: viewToSource)
    self.degrees = -degrees
    scale = enlargement
  }
}

/// The most patterned part of a picture: the label with its print and codes.
struct PatternedRegion {
  /// Left, top, width and height in pixels.
  var x, y, width, height: Int

  /// The box around the strongest patterned part, with a margin; the whole picture if nothing stands out.
  static func find(in picture: GrayPicture) -> PatternedRegion {
    let whole = PatternedRegion(x: 0, y: 0, width: picture.width, height: picture.height)
    guard picture.width > 32, picture.height > 32 else { return whole }
    let energy = edges(of: picture).boxMean(size: 13)
    let (ground, top) = (energy.percentile(0.5), energy.percentile(0.995))
    guard top > ground + 8 else { return whole }
    let components = energy.mask(above: ground + (top - ground) / 3).closedHorizontally(25).mask.components().components
    guard let largest = components.map(\.area).max(), largest > 150 else { return whole }
    // Parts of one label are close together: add the parts that are large enough and near.
    var box = components.first { $0.area == largest } ?? components[0]
    for _ in 0..<2 {
      for part in components where part.area * 12 > largest {
        let reach = max(24, min(box.width, box.height) / 2)
        let isNear =
          part.x < box.x + box.width + reach && part.x + part.width > box.x - reach
          && part.y < box.y + box.height + reach && part.y + part.height > box.y - reach
        if isNear { box = union(box, part) }
      }
    }
    let margin = 14 + max(box.width, box.height) / 12
    let left = max(0, box.x - margin)
    let upper = max(0, box.y - margin)
    return PatternedRegion(
      x: left, y: upper, width: min(picture.width, box.x + box.width + margin) - left,
      height: min(picture.height, box.y + box.height + margin) - upper)
  }

  private static func union(_ a: Component, _ b: Component) -> Component {
    var box = a
    box.x = min(a.x, b.x)
    box.y = min(a.y, b.y)
    box.width = max(a.x + a.width, b.x + b.width) - box.x
    box.height = max(a.y + a.height, b.y + b.height) - box.y
    return box
  }

  /// The magnitudes of the differences to the right and lower neighbours, at most 255.
  private static func edges(of picture: GrayPicture) -> GrayPicture {
    let (width, height) = (picture.width, picture.height)
    return GrayPicture(width: width, height: height) { out in
      out.initialize(repeating: 0)
      picture.pixels.withUnsafeBufferPointer { source in
        for y in 0..<height - 1 {
          for x in 0..<width - 1 {
            let at = y &* width &+ x
            let here = Int(source[at])
            out[at] = UInt8(min(255, 2 * (abs(Int(source[at &+ 1]) - here) + abs(Int(source[at &+ width]) - here))))
          }
        }
      }
    }
  }
}

/// The tilt of the print in an image, with the finder of the strokes that show it.
struct PrintTilt {
  var tilt: TextTilt
  var finder: DisplayLineFinder

  /// Angle in radians within which the line finder tolerates the difference of two tilts.
  private static let alikeAngle = 3.0 * .pi / 180

  /// Whether a level view of this print shows all of another one level too.
  func covers(_ other: PrintTilt) -> Bool {
    let (mine, others) = (tilt.box, other.tilt.box)
    let margin = LevelView.margin * tilt.characterSide
    return abs(tilt.angle - other.tilt.angle) <= Self.alikeAngle
      && others.left >= mine.left - margin && others.right <= mine.right + margin
      && others.top >= mine.top - margin && others.bottom <= mine.bottom + margin
  }
}

/// The print of an image, turned level and enlarged if small.
enum LevelView {
  /// Character height to which small print is enlarged, and the longest side of a view, in pixels.
  private static let capital = 18.0
  private static let longestSide = 3000.0
  /// Margin around the print, in heights of its characters.
  fileprivate static let margin = 3.0

  /// Reads the rows of several prints, one after the other, until one contains a serial.
  static func read(
    _ prints: [PrintTilt], in picture: DecodedPicture, _ context: ReadingContext
  ) throws(ReadFailure) -> LabelledTextPass.Outcome {
    var found = LabelledTextPass.Outcome()
    var done: [(print: PrintTilt, finder: DisplayLineFinder)] = []
    let inNoise = try context.photo.isNoisy()
    for print in prints where found.reads.isEmpty && context.hasTime {
      let view = try view(of: print, in: picture, context.photo)
      for finder in Self.finders(print, view.picture, inNoise: inNoise)
      where found.reads.isEmpty && context.hasTime {
        if done.contains(where: { $0.finder == finder && $0.print.covers(print) }) { continue }
        done.append((print, finder))
        let pass = LabelledTextPass(finder: finder, context: context)
        // Print along a ring is readable in places, but its serial is not.
        found.add(try context.textSeen.withoutCounting { () throws(ReadFailure) in try pass.run(view) })
      }
    }
    return found
  }

  /// The finders for the rows of a view: the one that showed the tilt, then those suited to the view's own strokes.
  private static func finders(_ print: PrintTilt, _ view: GrayPicture, inNoise: Bool) -> [DisplayLineFinder] {
    let polarity = TextPolarity(of: view, inNoise: inNoise)
    let further = [polarity.main, polarity.mainOtherContrast].compactMap { $0 }
    return [print.finder] + further.filter { $0 != print.finder }
  }

  /// The print, turned level.
  private static func view(
    of print: PrintTilt, in picture: DecodedPicture, _ photo: Photo
  ) throws(ReadFailure) -> DecodedPicture {
    let tilt = print.tilt
    let (c, s) = (cos(tilt.angle), sin(tilt.angle))
    let side = margin * tilt.characterSide
    let (left, top) = (tilt.box.left - side, tilt.box.top - side)
    let (width, height) = (tilt.box.right + side - left, tilt.box.bottom + side - top)
    let enlargement = max(
      1, min(LabelView.mostEnlargement, capital / tilt.characterSide, longestSide / max(width, height)))
    let source = enlargement > 1.2 ? try photo.full() : picture
    let toSource = Double(source.picture.width) / Double(picture.picture.width)
    let viewToPicture = PixelTransform(
      xx: c / enlargement, xy: -s / enlargement, yx: s / enlargement, yy: c / enlargement,
      dx: left * c - top * s, dy: left * s + top * c)
    return source.resampled(
      width: Int(width * enlargement), height: Int(height * enlargement),
      from: viewToPicture.then(.scale(toSource, toSource)))
  }
}

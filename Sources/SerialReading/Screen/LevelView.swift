import Imaging
import ScanModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The tilt of the print in an image, with the finder of the strokes that show it.
struct PrintTilt {
  var tilt: TextTilt
  var finder: DisplayLineFinder
  /// Whether it was measured on only a part of the image.
  var isPart = false
}

/// The print of an image, turned level and enlarged if small.
enum LevelView {
  /// Character height to which small print is enlarged, and the longest side of a view, in pixels.
  private static let capital = 18.0
  private static let longestSide = 3000.0
  /// Margin around the print, in heights of its characters.
  private static let margin = 3.0
  /// How far the rows of a part may extend beside it, in pixels: labels stand at the other end of a row.
  private static let besidePart = 300.0

  /// Reads the rows of several prints, one after the other, until one contains a serial.
  static func read(
    _ prints: [PrintTilt], in picture: DecodedPicture, _ context: ReadingContext
  ) throws(ReadFailure) -> (reads: [LabelledRead], lines: Int, linesRead: Int) {
    var (reads, lines, linesRead) = ([LabelledRead](), 0, 0)
    let inNoise = try context.photo.isNoisy()
    for print in prints where reads.isEmpty && context.hasTime {
      let view = try view(of: print, in: picture, context.photo)
      for finder in print.isPart ? [print.finder] : finders(print, view.picture, inNoise: inNoise)
      where reads.isEmpty && context.hasTime {
        let pass = LabelledTextPass(
          finder: finder, engine: context.engine, observer: context.observer, timer: context.timer, cut: .never,
          textSeen: context.photo.textSeen)
        // Print along a ring is readable in places, but its serial is not.
        let outcome = try context.photo.textSeen.withoutCounting { () throws(ReadFailure) in try pass.run(view) }
        (reads, lines, linesRead) = (outcome.reads, lines + outcome.lines, linesRead + outcome.linesRead)
      }
    }
    return (reads, lines, linesRead)
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
    let beside = print.isPart ? besidePart : 0
    let (left, top) = (tilt.box.left - side - beside, tilt.box.top - side)
    let (width, height) = (tilt.box.right + side + beside - left, tilt.box.bottom + side - top)
    let enlargement = max(
      1, min(LabelView.mostEnlargement, capital / tilt.characterSide, longestSide / max(width, height)))
    let source = enlargement > 1.2 ? try photo.full() : picture
    let toSource = Double(source.picture.width) / Double(picture.picture.width)
    let viewToPicture = PixelTransform(
      xx: c / enlargement, xy: -s / enlargement, yx: s / enlargement, yy: c / enlargement,
      dx: left * c - top * s, dy: left * s + top * c)
    let viewToSource = viewToPicture.then(.scale(toSource, toSource))
    let view = source.picture.resampled(
      width: max(1, Int(width * enlargement)), height: max(1, Int(height * enlargement)), from: viewToSource)
    return DecodedPicture(picture: view, toUploaded: viewToSource.then(source.toUploaded))
  }
}

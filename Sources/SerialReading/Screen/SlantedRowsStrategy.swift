import Imaging
import ReaderProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads rows that run at a slant, in a view of the print that is turned level and enlarged where it is small.
///
/// The line finder bears some degrees of slant, more only in print that is large and far apart; and a lit display, or print on a dark device,
/// has no bright label whose borders would tell how far it is turned.
struct SlantedRowsStrategy: ReadingStrategy {
  /// Slant below which the strategies before have read what there is, in radians.
  private static let leastAngle = 8.0 * .pi / 180
  /// Share of the characters that must stand along the slant: pictures without text reach 0.16.
  private static let leastShare = 0.17
  /// Sides of characters, in pixels, below which they break, and stand beside each other in any direction.
  private static let leastSide = 9.0
  /// Height of characters that small print is enlarged to, and the longest side of a view, in pixels.
  private static let capital = 18.0
  private static let longestSide = 3000.0
  /// Ground around the print, in heights of its characters.
  private static let margin = 3.0

  let name = "rows-slanted"
  let activity = "Turning slanted rows level"

  /// A slant, and the strokes that show it.
  private struct Slant {
    var tilt: TextTilt
    var finder: DisplayLineFinder
  }

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    // Beside a serial's label that was read others look.
    guard context.photo.textSeen.labels.isEmpty else { return StrategyOutcome(summary: "a label was read") }
    let picture = try context.photo.reduced(toSide: Int(context.parameters["working_side"]))
    let slants = Self.slants(of: picture.picture)
    guard !slants.isEmpty else { return StrategyOutcome(summary: "the rows are level") }
    var (reads, lines, linesRead) = ([LabelledRead](), 0, 0)
    for slant in slants where reads.isEmpty {
      let view = try Self.view(of: slant.tilt, in: picture, context.photo)
      for finder in Self.finders(slant, view.picture) where reads.isEmpty && context.hasTime {
        let pass = LabelledTextPass(
          finder: finder, engine: context.engine, observer: context.observer, timer: context.timer, cut: .never,
          textSeen: context.photo.textSeen)
        let outcome = try pass.run(view)
        (reads, lines, linesRead) = (outcome.reads, lines + outcome.lines, linesRead + outcome.linesRead)
      }
    }
    let degrees = slants.map { "\(Int(($0.tilt.angle * 180 / .pi).rounded()))" }.joined(separator: " or ")
    return StrategyOutcome(
      reads, strategy: name, summary: "slanted by \(degrees) degrees, \(lines) lines, \(linesRead) read")
  }

  /// How far the rows lean, by the strokes of either polarity, the clearer first.
  private static func slants(of picture: GrayPicture) -> [Slant] {
    let polarity = TextPolarity(of: picture)
    return [polarity.main, polarity.other].compactMap { $0 }
      .compactMap { finder in
        TextTilt(of: finder.characters(in: picture).components).map { Slant(tilt: $0, finder: finder) }
      }
      .filter {
        $0.tilt.share >= leastShare && $0.tilt.characterSide >= leastSide && abs($0.tilt.angle) >= leastAngle
      }
      .sorted { $0.tilt.clearness > $1.tilt.clearness }
  }

  /// What finds the rows of a view: what showed the slant, then what the view's own strokes ask for.
  private static func finders(_ slant: Slant, _ view: GrayPicture) -> [DisplayLineFinder] {
    let polarity = TextPolarity(of: view)
    let further = [polarity.main, polarity.mainOtherContrast].compactMap { $0 }
    return [slant.finder] + further.filter { $0 != slant.finder }
  }

  /// The print, turned level.
  private static func view(
    of tilt: TextTilt, in picture: DecodedPicture, _ photo: Photo
  ) throws(ReadFailure) -> DecodedPicture {
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
    let viewToSource = viewToPicture.then(.scale(toSource, toSource))
    let view = source.picture.resampled(
      width: max(1, Int(width * enlargement)), height: max(1, Int(height * enlargement)), from: viewToSource)
    return DecodedPicture(picture: view, toUploaded: viewToSource.then(source.toUploaded))
  }
}

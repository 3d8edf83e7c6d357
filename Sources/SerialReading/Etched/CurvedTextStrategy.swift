import Imaging
import ReaderProtocol

/// How text that runs along a curve was seen.
struct CurvedTextSighting: Equatable {
  /// The longer side of the picture in which it was, in pixels.
  var side: Int
  var polarity: StrokePolarity
  /// Contrast of its strokes, as a share of their surroundings.
  var contrast: Double
}

/// A read in a strip that text along a curve was unrolled into.
struct UnrolledRead {
  /// Where it stands in the photo as uploaded.
  var region: Quadrilateral
  /// The strip, and where it stands there.
  var strip: DecodedPicture
  var place: Quadrilateral
}

/// Reads text that runs along a curve, where any was seen: each line is unrolled and read as a straight one.
struct CurvedTextStrategy: ReadingStrategy {
  /// Lines that are read.
  private static let mostLines = 6
  /// Height of capitals in an unrolled line, in pixels: what the line finder finds best.
  private static let capital = 18.0
  /// Readings after which no further line is begun, and of each line.
  private static let mostReadings = 8
  /// The same where a line was read with ease: round a ring phrases stand far apart, and each is a line.
  private static let mostReadingsOfText = 24
  private static let readingsOfLine = 10

  let name = "text-curved"
  let activity = "Reading text along a curve"

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    var candidates: [Candidate] = []
    var (lines, readings, limit) = (0, 0, Self.mostReadings)
    for sighting in sightings(context) where readings < limit {
      var finder = TextLineFinder(context.parameters)
      finder.strokeThreshold = sighting.contrast
      let picture = try context.photo.reduced(toSide: sighting.side)
      let found = CurvedLineFinder(finder: finder).lines(in: picture.picture, polarity: sighting.polarity)
      for line in found.prefix(Self.mostLines) where readings < limit && context.hasTime {
        let outcome = try read(line, in: picture, finder, sighting.polarity, context)
        lines += 1
        readings += outcome.readings
        candidates += outcome.candidates
        if outcome.legibleLines > 0 { limit = Self.mostReadingsOfText }
        if candidates.contains(where: { $0.confidence >= EtchedTextStrategy.likely }) { break }
      }
      if candidates.contains(where: { $0.confidence >= EtchedTextStrategy.likely }) { break }
    }
    return StrategyOutcome(
      candidates: candidates.sorted { $0.confidence > $1.confidence }, summary: "\(lines) lines, \(readings) readings")
  }

  /// What was seen, and large light print, which no other strategy looks for.
  private func sightings(_ context: ReadingContext) -> [CurvedTextSighting] {
    let side = min(Int(context.parameters["working_side"]), context.photo.longestUploadedSide)
    return context.photo.curvedText + [
      CurvedTextSighting(side: side / 2, polarity: .light, contrast: context.parameters["stroke_threshold"])
    ]
  }

  private func read(
    _ line: CurvedLine, in picture: DecodedPicture, _ finder: TextLineFinder, _ polarity: StrokePolarity,
    _ context: ReadingContext
  ) throws(ReadFailure) -> EtchedTextPass.Outcome {
    let side = Double(picture.picture.longestSide)
    let wanted = line.capital < Self.capital ? side * Self.capital / line.capital : side
    let source = try context.photo.reduced(toSide: Int(wanted))
    let factor = Double(source.picture.longestSide) / side
    let strip = line.strip(capital: Self.capital, enlargedBy: factor)
    guard !strip.columns.isEmpty else { return EtchedTextPass.Outcome(candidates: []) }
    let flat = DecodedPicture(picture: source.picture.strip(strip), toUploaded: .identity)
    // What is seen in the strip stands elsewhere in the photo: it is not told to the other strategies.
    let pass = EtchedTextPass(
      finder: finder, engine: context.engine, observer: context.observer, strategy: name, isFallback: true,
      lineLimit: 3, readingLimit: Self.readingsOfLine, cut: .never,
      textSeen: TextSeen(photoSize: PixelSize(width: flat.picture.width, height: flat.picture.height)))
    var outcome = try pass.run(flat, polarity: polarity)
    for index in outcome.candidates.indices {
      guard let place = outcome.candidates[index].region else { continue }
      let region = place.unrolledBack(by: strip, toUploaded: source.toUploaded)
      outcome.candidates[index].region = region
      context.photo.unrolledReads.append(UnrolledRead(region: region, strip: flat, place: place))
    }
    return outcome
  }
}

extension Quadrilateral {
  /// The rectangle along its chord around a place of an unrolled strip, in the photo as uploaded.
  fileprivate func unrolledBack(by strip: CurvedStrip, toUploaded: PixelTransform) -> Quadrilateral {
    guard corners.count == 4 else { return self }
    func place(_ along: Double, _ down: Double) -> PlanePoint {
      func between(_ a: PixelPoint, _ b: PixelPoint) -> PlanePoint {
        (a.x + (b.x - a.x) * along, a.y + (b.y - a.y) * along)
      }
      let (top, bottom) = (between(corners[0], corners[1]), between(corners[3], corners[2]))
      let source = strip.toSource(top.x + (bottom.x - top.x) * down, top.y + (bottom.y - top.y) * down)
      return toUploaded.apply(source.x, source.y)
    }
    let (start, end) = (place(0, 0.5), place(1, 0.5))
    let length = max(1e-9, distance(start, end))
    let (x, y) = ((end.x - start.x) / length, (end.y - start.y) / length)
    let outline = (0...8).flatMap { [place(Double($0) / 8, 0), place(Double($0) / 8, 1)] }
    let along = outline.map { ($0.x - start.x) * x + ($0.y - start.y) * y }
    let down = outline.map { ($0.y - start.y) * x - ($0.x - start.x) * y }
    func corner(_ along: Double?, _ down: Double?) -> PixelPoint {
      let (along, down) = (along ?? 0, down ?? 0)
      return PixelPoint(x: start.x + along * x - down * y, y: start.y + along * y + down * x)
    }
    return Quadrilateral(
      corner(along.min(), down.min()), corner(along.max(), down.min()), corner(along.max(), down.max()),
      corner(along.min(), down.max()))
  }
}

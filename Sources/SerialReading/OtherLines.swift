import Foundation
import Imaging
import ScanModel

/// Lines that a strategy found in a picture, of which it read as many as it took to be sure of one serial.
struct LinesFound {
  /// The picture that they were found in, and the one that they are cut from.
  var decoded, picture: DecodedPicture
  /// Lines along the rows and along the columns of the picture that they were found in, the latter in coordinates of that picture turned clockwise.
  var rows, columns: [TextSegment]
  /// Which strokes were looked for.
  var strokes: Strokes

  /// What counts as a stroke, as `StrokeMask` takes it.
  struct Strokes {
    var polarity: StrokePolarity
    var threshold: Double
    var leastGround = 8
  }

  /// Pixels of the picture that lines are cut from for one of the picture that they were found in.
  var scale: Float { Float(picture.picture.longestSide) / Float(max(1, decoded.picture.longestSide)) }
}

/// Reads, once a text is accepted, values elsewhere in the photo that were found and not read: another device's, if there is one.
///
/// What was found already is looked through, so that a photo of one device costs a few readings more at most.
struct OtherLinesStrategy: ReadingStrategy {
  /// The serials that are known.
  let known: [FusedSerial]

  let name = "other-lines"
  let activity = "Looking for other devices' serials"

  /// Values that are read, and their least likeness to a serial: all capitals and digits, as many and as wide as a serial's.
  private static let mostValues = 2
  private static let leastLikeness: Float = 0.8
  private static let counts = 9...13
  /// The least height of their capitals, in pixels of the picture that they are cut from.
  private static let leastCapital: Float = 8
  /// How far from what is known they stand, in heights of capitals: nearer ones are the same device's.
  private static let reach = 8.0
  /// Heights of capitals on two devices in one photo, as a ratio.
  private static let heights: ClosedRange<Double> = 0.4...2.5
  /// What a value's rank loses by capitals of another height than the known serial's, by the logarithm of the ratio.
  private static let weightOfHeight: Float = 0.3
  /// Confidence below which what is nearly a known serial is that misread on another label.
  private static let leastOfNear = 0.9

  /// A value that is worth a reading.
  private struct Value {
    /// Index of the lines that it was found among, and whether these run along columns.
    var found: Int
    var runsAlongColumns, standsOnHead: Bool
    var unit: WordUnit
    var box: PrintedBox
    var rank: Float
  }

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    let found = context.photo.textSeen.linesFound + (try otherPolarity(context))
    let values = values(in: found, read: context.photo.textSeen.lines.compactMap { PrintedBox($0.place.region) })
    var reads: [LabelledRead] = []
    for value in values where context.hasTime {
      let view = View(found[value.found], value.runsAlongColumns, standsOnHead: value.standsOnHead)
      let crops = CropReader(
        source: view.source, polarity: found[value.found].strokes.polarity, in: context, isNoted: false)
      let places = LabelPlace.places(of: value.unit, in: view.lines, slope: RowSlope(view.lines))
      let reading = UnitReader(crops: crops).read(value.unit, in: view.lines, places: places)
      if let serial = reading.serial, !serial.goesOn { reads.append(serial) }
    }
    let outcome = StrategyOutcome(reads, strategy: name, summary: "\(values.count) values")
    return StrategyOutcome(
      candidates: outcome.candidates.filter { !isMisreadOfKnown($0) }, summary: outcome.summary)
  }

  /// Lines of the polarity that the photo's text mostly does not have: a dark device beside a light one. Only where rows were read, which had to look at
  /// both polarities; a line that is read at once costs less than such a look.
  private func otherPolarity(_ context: ReadingContext) throws(ReadFailure) -> [LinesFound] {
    let photo = context.photo
    guard var finder = photo.knownPolarity(ofSide: Photo.workingSide)?.other,
      !photo.textSeen.linesFound.contains(where: { $0.strokes.polarity == finder.polarity })
    else { return [] }
    finder.partsJoined = false
    let decoded = try photo.reduced(toSide: Photo.workingSide)
    let (rows, columns) = finder.lines(in: decoded.picture)
    // The finest that others had decoded.
    let picture = photo.textSeen.linesFound.filter { $0.decoded.toUploaded == decoded.toUploaded }.map(\.picture)
      .max { $0.picture.longestSide < $1.picture.longestSide }
    return [
      LinesFound(
        decoded: decoded, picture: picture ?? decoded, rows: rows.lines, columns: columns.lines,
        strokes: finder.strokes)
    ]
  }

  private func isMisreadOfKnown(_ candidate: Candidate) -> Bool {
    candidate.confidence < Self.leastOfNear && known.contains { FusedSerial(candidate, at: nil).isNear($0) }
  }

  /// Lines of a set as they read, and the picture that they are cut from.
  private struct View {
    let lines: [TextSegment]
    private let found: LinesFound
    private let runsAlongColumns, standsOnHead: Bool

    init(_ found: LinesFound, _ runsAlongColumns: Bool, standsOnHead: Bool) {
      (self.found, self.runsAlongColumns, self.standsOnHead) = (found, runsAlongColumns, standsOnHead)
      let picture = found.picture.picture
      let (width, height) = runsAlongColumns ? (picture.height, picture.width) : (picture.width, picture.height)
      lines = (runsAlongColumns ? found.columns : found.rows).map { line in
        var line = line.scaled(by: found.scale)
        if standsOnHead { line.turnUpsideDown(width: Float(width), height: Float(height)) }
        return line
      }
    }

    /// The picture, turned so that the lines run along its rows and stand upright.
    var source: DecodedPicture {
      let turned = runsAlongColumns ? found.picture.turnedClockwise() : found.picture
      return standsOnHead ? turned.turnedUpsideDown() : turned
    }

    /// From its coordinates to the photo as uploaded.
    var toUploaded: PixelTransform {
      let picture = found.picture.picture
      var map = found.picture.toUploaded
      var (width, height) = (picture.width, picture.height)
      if runsAlongColumns {
        map = Orientation.right.storedFromUpright(width: width, height: height).then(map)
        (width, height) = (height, width)
      }
      return standsOnHead ? Orientation.down.storedFromUpright(width: width, height: height).then(map) : map
    }
  }

  /// What is worth a reading, the most like a serial first.
  private func values(in found: [LinesFound], read: [PrintedBox]) -> [Value] {
    let own = known.flatMap(\.places).compactMap(PrintedBox.init)
    guard let first = own.first else { return [] }
    let all = found.indices.flatMap { index in
      [false, true].flatMap { runsAlongColumns in
        var view = View(found[index], runsAlongColumns, standsOnHead: false)
        let standsOnHead = Self.cosine(of: first, to: view.toUploaded) < -0.5
        if standsOnHead { view = View(found[index], runsAlongColumns, standsOnHead: true) }
        return units(in: view, apartFrom: own).map { unit, box in
          Value(
            found: index, runsAlongColumns: runsAlongColumns, standsOnHead: standsOnHead, unit: unit, box: box,
            rank: unit.likeness - Self.weightOfHeight * Float(abs(log(box.capital / first.capital))))
        }
      }
    }
    let unread = all.filter { value in
      Self.heights.contains(value.box.capital / first.capital) && !read.contains { $0.isOneLine(with: value.box) }
    }
    var kept: [Value] = []
    for value in unread.sorted(by: { $0.rank > $1.rank }) where kept.count < Self.mostValues {
      if !kept.contains(where: { $0.box.isOneLine(with: value.box) }) { kept.append(value) }
    }
    return kept
  }

  /// The units of a serial's shape in lines that stand apart from what is known: print on a lid runs on for sixty capitals.
  private func units(in view: View, apartFrom own: [PrintedBox]) -> [(unit: WordUnit, box: PrintedBox)] {
    let map = view.toUploaded
    return view.lines.indices.flatMap { index -> [(unit: WordUnit, box: PrintedBox)] in
      let line = view.lines[index]
      guard line.capitalHeight >= Self.leastCapital,
        let whole = Self.box(of: line, from: line.left, to: line.right, line.capitalHeight, map),
        !own.contains(where: { Self.isNear($0, whole) })
      else { return [] }
      return WordUnit.units(of: line, at: index).compactMap { unit in
        guard unit.likeness >= Self.leastLikeness, Self.counts.contains(unit.count) else { return nil }
        return Self.box(of: line, from: unit.left, to: unit.right, unit.height, map).map { (unit, $0) }
      }
    }
  }

  private static func isNear(_ own: PrintedBox, _ other: PrintedBox) -> Bool {
    own.gap(to: other) < reach * max(own.capital, other.capital)
  }

  /// The cosine of the angle between a read and the rows of a picture.
  private static func cosine(of box: PrintedBox, to map: PixelTransform) -> Double {
    let (from, to) = (map.apply(0, 0), map.apply(1, 0))
    let length = max(.leastNormalMagnitude, distance(from, to))
    return ((to.x - from.x) * box.direction.x + (to.y - from.y) * box.direction.y) / length
  }

  private static func box(
    of line: TextSegment, from left: Float, to right: Float, _ height: Float, _ map: PixelTransform
  ) -> PrintedBox? {
    func place(_ x: Float) -> (x: Double, y: Double) { map.apply(Double(x), Double(line.slope * x + line.offset)) }
    let pixel = distance(map.apply(0, 0), map.apply(1, 0))
    let place = Sighting(left: place(left), right: place(right), capital: Double(height) * pixel, polarity: .dark)
    return PrintedBox(place.region)
  }
}

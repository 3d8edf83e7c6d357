import AppleSerial
import Foundation
import Imaging
import ScanModel
import TextReading

/// One pass over a picture for etched text: finds lines, tests their direction, reads them and votes.
struct EtchedTextPass {
  /// The number of well-read lines without a serial after which further passes would not find one either.
  static let legibleLinesToGiveUp = 3

  var finder: TextLineFinder
  let context: ReadingContext
  /// The name of the strategy that runs the pass.
  var strategy: String
  /// Whether other strategies searched for the same text before. Then a single line decides whether there is any.
  var isFallback: Bool
  /// The most lines read.
  var lineLimit: Int
  /// The number of readings after which no further line starts, so that a picture without a serial costs little more
  /// than one with a serial.
  var readingLimit: Int
  /// The picture from which lines are cut.
  var cut: FinerCut
  /// Records everything that is read.
  var textSeen: TextSeen
  /// Whether every serial is wanted, so that no line ends the pass.
  var wantsEverySerial = false

  /// The result of a pass.
  struct Outcome {
    var candidates: [Candidate] = []
    /// The number of lines found.
    var lines = 0
    /// The number of readings made.
    var readings = 0
    /// The number of lines of several characters that were read clearly.
    var legibleLines = 0
    /// Whether any piece of text is bent, as along a curve.
    var isBent = false

    /// Adds the outcome of a further pass over the same picture: for fainter strokes, or along the other axis.
    ///
    /// Leaves out its legible lines: print along a curve reads clearly in pieces, so they don't make a further pass
    /// needless.
    mutating func add(_ other: Outcome) {
      candidates += other.candidates
      lines += other.lines
      readings += other.readings
      isBent = isBent || other.isBent
    }

    /// Whether the text was read so well that another pass would read the same.
    var isLegible: Bool { legibleLines >= legibleLinesToGiveUp }
  }

  /// Searches a picture for serials.
  func run(_ decoded: DecodedPicture) throws(ReadFailure) -> Outcome {
    let (rows, columns) = finder.lines(in: decoded.picture)
    let hasMoreRows = rows.lines.weight >= columns.lines.weight
    func read(byRows: Bool) throws(ReadFailure) -> Outcome {
      guard !(byRows ? rows : columns).lines.isEmpty else { return Outcome() }
      var found = LinesFound(
        decoded: decoded, picture: decoded, rows: rows.lines, columns: columns.lines, strokes: finder.strokes)
      let outcome = try self.read(&found, byRows: byRows)
      textSeen.note(found)
      return outcome
    }
    var outcome = try read(byRows: hasMoreRows)
    if wantsEverySerial { outcome.add(try read(byRows: !hasMoreRows)) }
    outcome.isBent = rows.isBent || columns.isBent
    return outcome
  }

  /// Reads the lines along one axis of those found, and adds which way up they are and the picture they were cut from.
  func read(_ found: inout LinesFound, byRows: Bool) throws(ReadFailure) -> Outcome {
    let all = byRows ? found.rows : found.columns
    let ordered = Array(Self.ordered(all).prefix(lineLimit))
    let capital = Statistics.median(ordered.prefix(4).map(\.capitalHeight))
    let (picture, lines) = try cut.source(for: ordered, capital: capital, in: found.decoded)
    found.picture = picture
    let (source, polarity) = (byRows ? picture : picture.turnedClockwise(), finder.strokes.polarity)
    let reader = LineReader(
      lines,
      crops: CropReader(source: source, polarity: polarity, in: context, isNoted: false))
    guard let (kept, illegible) = DirectionTest.run(reader, lines: isFallback ? 1 : 2) else {
      return Outcome(lines: all.count, readings: reader.readings)
    }
    found.directed = LinesFound.Directed(
      lines: reader.lines, source: source, polarity: polarity, isUpsideDown: reader.isUpsideDown)
    let order = reader.lines.indices.filter { !illegible.contains($0) } + illegible.sorted()
    var votes = lineEnds(order, kept, reader)
    if votes.isEmpty { votes = wholeLines(reader) }
    return Outcome(
      candidates: LineVote.candidates(of: votes, strategy: strategy, textSeen: textSeen), lines: all.count,
      readings: reader.readings, legibleLines: reader.legibleLines.count)
  }

  /// Orders lines by their length, those that slope against the others last.
  static func ordered(_ lines: [TextSegment]) -> [TextSegment] {
    let slope = Statistics.weightedMedian(lines.map { ($0.slope, Float($0.weight)) }) ?? 0
    func rank(_ line: TextSegment) -> Float {
      Float(line.weight) * (abs(line.slope - slope) < parallel ? 1 : shareOfSkewed)
    }
    return lines.sorted { rank($0) > rank($1) }
  }

  /// The greatest difference of two slopes in lines of one direction, and the share of its rank that another line keeps.
  private static let (parallel, shareOfSkewed): (Float, Float) = (0.06, 0.3)

  private func lineEnds(_ order: [Int], _ kept: [Int: LineReader.Reading], _ reader: LineReader) -> [LineVote] {
    var votes: [LineVote] = []
    for index in order where reader.readings < readingLimit || kept[index] != nil {
      let line = reader.line(index)
      let isRead = textSeen.holdsSureSerial(
        line, from: line.left, to: line.right, toUploaded: reader.crops.source.toUploaded)
      if isRead { continue }
      let first = kept[index] ?? reader.read(index)
      if let first { textSeen.note(first.line, in: first.crop) }
      var found = vote(index, first, reader)
      if found == nil, let first { found = lineBelow(index, first, reader) }
      if let first, (found?.keyword ?? 0) == 0 { noteUnannounced(first) }
      guard let found else { continue }
      votes.append(found)
      if found.isCertain, !wantsEverySerial { break }
    }
    return votes
  }

  /// Records a line that consists only of a value with a serial's shape.
  private func noteUnannounced(_ reading: LineReader.Reading) {
    guard let value = ValueText(reading.line), value.isPlausibleOrDoubled, value.prefix.isEmpty else { return }
    textSeen.noteUnannounced(value, hasOtherLabel: false, in: reading.crop)
  }

  /// Reads the line below one that ends with a label, since the value may be there.
  private func lineBelow(_ index: Int, _ first: LineReader.Reading, _ reader: LineReader) -> LineVote? {
    let strength = Keywords(first.line).strengthAtEnd
    guard strength > 0, let below = Self.below(index, reader) else { return nil }
    return vote(below, reader.read(below), reader, labelAbove: strength)
  }

  /// The nearest line of similar height below another in reading direction that begins or ends near it.
  private static func below(_ index: Int, _ reader: LineReader) -> Int? {
    let (line, lines) = (reader.line(index), reader.lines)
    let sign: Float = reader.isUpsideDown ? -1 : 1
    let height = line.capitalHeight
    return lines.indices.filter { index in
      let other = lines[index]
      let drop = sign * line.drop(to: other.medianX, other.medianY)
      let ratio = other.capitalHeight / height
      return drop > 0.8 * height && drop < 3 * height && ratio > 0.6 && ratio < 1.6
        && other.left < line.right && other.right > line.left
    }.min { abs(lines[$0].medianY - line.medianY) < abs(lines[$1].medianY - line.medianY) }
  }

  /// Reads long lines as a whole, since a serial may be in their middle.
  private func wholeLines(_ reader: LineReader) -> [LineVote] {
    reader.lines.indices.prefix(6).compactMap { index in
      guard reader.isLong(index), reader.readings < readingLimit else { return nil }
      return vote(index, reader.read(index, whole: true), reader, whole: true)
    }
  }

  /// Reads a line in variant after variant until enough readings agree clearly.
  private func vote(
    _ index: Int, _ first: LineReader.Reading?, _ reader: LineReader, whole: Bool = false, labelAbove: Float = 0
  ) -> LineVote? {
    var readings = CropReadings<ParsedCandidate>()
    var part: ClosedRange<Float>?
    for (number, variant) in CropVariant.unlike.enumerated() {
      let next =
        if number == 0 { first } else if let part {
          reader.read(index, range: part, variant: variant)
        } else { reader.read(index, variant: variant, whole: whole) }
      guard let reading = next else { break }
      let candidate = CandidateParsing.candidates(in: reading.line, labelAbove: labelAbove).first
      if part == nil, let candidate { part = reading.part(around: candidate) }
      readings.add(candidate, in: reading.crop)
      if readings.isSettled { break }
      guard readings.readings.isEmpty else { continue }
      if number == 0 ? !Keywords.promisesSerial(reading.line.text) : readings.tried >= Vote.leastReadings { break }
    }
    guard let (read, shown) = readings.agreed() else { return nil }
    // Other makers' serials may be longer; their first twelve characters are not a serial.
    if shown.text.goesOn, shown.ground.after < LengthProof.leastGround { return nil }
    return LineVote(
      read: read, keyword: readings.readings.map(\.text.keyword).max() ?? 0, line: index,
      capitalHeight: reader.line(index).capitalHeight, ground: shown.leastGround,
      isBehindLabel: labelAbove == 0 && shown.text.keyword > 0 && shown.ground.before <= LabelPlace.widestSpace,
      lacksBeginning: shown.text.lacksBeginning, isInDevicePrint: shown.text.isInDevicePrint)
  }
}

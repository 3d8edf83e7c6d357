import AppleSerial
import Imaging
import ScanModel
import TextReading

/// Reads lines next to a settled serial that probably hold fields and were found but not read.
///
/// Its cost is counted in columns of lines and limited: to a share of the previous cost or, if all fields are wanted, to
/// a fixed number. A limit in seconds would let the result vary with the machine.
struct FieldSearch {
  let context: ReadingContext
  /// Whether lines far from the serial are read too.
  let extent: FieldReading

  /// The columns that may be read for each column read before.
  private static let share = 0.08
  /// The columns that may be read if all fields are wanted: some forty lines.
  private static let columnsOfAll = 20_000
  /// The least cost of decoding a photo and finding its lines, in columns.
  private static let columnsOfOpening = 3_000

  /// Reads lines next to a serial, most promising first.
  ///
  /// - Parameter columns: The columns of lines read in the photo so far.
  func run(beside region: Quadrilateral, afterColumns columns: Int) {
    guard let serial = PrintedBox(region) else { return }
    let share = Int(Self.share * Double(columns + Self.columnsOfOpening))
    var left = extent == .all ? max(share, Self.columnsOfAll) : share
    var parts = context.textSeen.linesFound.compactMap(\.directed).flatMap {
      LinePart.parts(of: $0, beside: serial, extent)
    }
    .filter { part in !context.textSeen.lines.contains { part.isRead(in: $0.place) } }
    .sorted { $0.rank < $1.rank }
    var readPlaces: [Sighting] = []
    while !parts.isEmpty {
      let part = parts.removeFirst()
      guard part.columns <= left, !readPlaces.contains(where: part.isRead) else { continue }
      left -= part.columns
      readPlaces.append(part.place)
      guard let text = read(part), Self.needsLabel(text), let label = part.label(among: parts) else { continue }
      parts.insert(parts.remove(at: label), at: 0)
    }
  }

  private func read(_ part: LinePart) -> String? {
    let found = part.found
    let crops = CropReader(source: found.source, polarity: found.polarity, in: context, isNoted: false)
    guard let crop = crops.cut(part.line, part.range, .measured, isUpsideDown: found.isUpsideDown),
      let line = crops.read(crop)
    else { return nil }
    context.textSeen.noteForFields(line, in: crop)
    return line.text
  }

  /// Whether a text is a network address or a card number, whose kind only a label can tell.
  private static func needsLabel(_ text: String) -> Bool {
    DeviceField(.wifiAddress, text) != nil || DeviceField(.iccid, text) != nil
  }
}

/// A part of a line without a wide gap: a value, a label, or words of print.
struct LinePart {
  let found: LinesFound.Directed
  let line: TextSegment
  /// The range of the line's x coordinates that is cut.
  let range: ClosedRange<Float>
  /// The place in the photo as uploaded.
  let place: Sighting
  /// The rank; lower is more promising.
  let rank: Double
  /// The columns of its cut.
  let columns: Int
  private let index: Int

  /// The gap, in heights of capitals, beyond which a line is split.
  private static let gap: Float = 2.2
  /// The length, in heights of capitals, from which a part is split between words.
  private static let longest: Float = 22
  /// The search distance above and below a serial, in heights of its capitals.
  private static let reach = 16.0
  /// The least cosine of the angle between a line and the serial.
  private static let parallel = 0.95

  /// The parts of the lines near a serial, or of all lines that run like it.
  static func parts(of found: LinesFound.Directed, beside serial: PrintedBox, _ extent: FieldReading) -> [LinePart] {
    let reach = extent == .all ? .infinity : reach
    return found.lines.indices.flatMap { index in
      parts(of: found.lines[index], at: index, found, beside: serial, within: reach)
    }
  }

  private static func parts(
    of line: TextSegment, at index: Int, _ found: LinesFound.Directed, beside serial: PrintedBox, within reach: Double
  ) -> [LinePart] {
    guard let whole = sighting(of: line.left...max(line.left, line.right), line, found) else { return [] }
    let across = serial.offset(of: whole.middle).across / serial.capital
    let way = whole.right - whole.left
    let cosine = way.dot(serial.direction) / max(way.length, Sighting.leastLength)
    guard abs(across) < reach, Sighting.alikeHeights.contains(whole.capital / serial.capital), cosine > parallel else {
      return []
    }
    return spans(of: line).compactMap { span in
      let margin = LineCrop.margin * line.capitalHeight
      guard let place = sighting(of: span.left...max(span.left, span.right), line, found) else { return nil }
      let columns = (span.right - span.left + 2 * margin) * LineCrop.capitalHeight / max(1, line.capitalHeight)
      guard columns.isFinite, columns > 0, columns < Float(LineCrop.widths.upperBound) else { return nil }
      return LinePart(
        found: found, line: line, range: (span.left - margin)...(span.right + margin), place: place,
        rank: abs(serial.offset(of: place.middle).across) / serial.capital / rowPitch - span.promise,
        columns: Int(columns), index: index)
    }
  }

  /// The least pitch of printed rows, in heights of capitals.
  private static let rowPitch = 1.8

  /// The least number of characters of a part.
  private static let leastCharacters = 4

  private struct Span {
    var left, right: Float
    /// The number of rows by which its shape improves its rank.
    var promise: Double
  }

  /// The spans between wide gaps; long ones are split between words.
  private static func spans(of line: TextSegment) -> [Span] {
    let (wide, space) = (gap * line.capitalHeight, WordUnit.wordGap * line.capitalHeight)
    let groups = line.boxes.sorted { $0.x < $1.x }.parted { gap, length in
      gap > wide || (gap > space && length > longest * line.capitalHeight)
    }
    return groups.filter { $0.count >= leastCharacters }.compactMap { members in
      guard let left = members.first?.left, let right = members.map(\.right).max() else { return nil }
      return Span(left: left, right: max(left, right), promise: promise(of: members, line))
    }
  }

  /// The promise of a span's characters: digits and capitals have one height, and numbers have a typical count of them.
  private static func promise(of members: [TextSegment.Box], _ line: TextSegment) -> Double {
    let tall = members.map(\.height).filter { $0 > leastHeight * line.capitalHeight }
    let median = Statistics.median(tall)
    let even = Double(tall.count { abs($0 - median) < evenness * median + 1 }) / Double(max(1, tall.count))
    guard even >= leastEven else { return 0 }
    return promises.first { $0.counts.contains(tall.count) }?.rows ?? 1
  }

  /// Numbers of characters that fields have, with the rows by which they improve a rank.
  private static let promises: [(counts: ClosedRange<Int>, rows: Double)] = [
    (28...36, 6), (12...20, 4), (8...10, 3), (5...5, 3),
  ]
  /// The least height of digits and capitals, in heights of the line's capitals, and their greatest difference from the
  /// median, as a share of it beyond a pixel.
  private static let (leastHeight, evenness): (Float, Float) = (0.6, 0.12)
  /// The least share of characters of one height in a span that counts as a number.
  private static let leastEven = 0.85

  private static func sighting(
    of x: ClosedRange<Float>, _ line: TextSegment, _ found: LinesFound.Directed
  ) -> Sighting? {
    func point(_ x: Float) -> PlanePoint {
      found.source.toUploaded.apply(Double(x), Double(line.y(at: x)))
    }
    let (left, right) = (point(x.lowerBound), point(x.upperBound))
    let capital = found.source.toUploaded.length(down: Double(line.capitalHeight))
    guard capital > 0, (right - left).length > 0 else { return nil }
    return Sighting(
      left: found.isUpsideDown ? right : left, right: found.isUpsideDown ? left : right, capital: capital,
      polarity: found.polarity)
  }

  /// Whether a line that was read contains most of it.
  func isRead(in other: Sighting) -> Bool {
    guard let box = PrintedBox(other.region) else { return false }
    let (start, end) = (box.offset(of: place.left), box.offset(of: place.right))
    guard abs((start.across + end.across) / 2) < Sighting.rowTolerance * max(place.capital, other.capital) else {
      return false
    }
    let (first, last) = (min(start.along, end.along), max(start.along, end.along))
    return min(last, box.half.along) - max(first, -box.half.along) > Self.leastShared * (last - first)
  }

  /// The least share of a part's length that a reading must cover for it to count as read: of a number in groups, one
  /// that leaves out the first or last group does not.
  private static let leastShared = 0.92

  /// The part before it in its line, such as its label.
  func label(among parts: [LinePart]) -> Int? {
    guard let box = PrintedBox(place.region) else { return nil }
    func gap(_ part: LinePart) -> Double? {
      guard part.index == index, part.line.left == line.left, part.found.isUpsideDown == found.isUpsideDown else {
        return nil
      }
      let gap = -box.half.along - box.offset(of: part.place.right).along
      return gap > -place.capital ? gap : nil
    }
    return parts.indices.compactMap { index in gap(parts[index]).map { (index, $0) } }.min { $0.1 < $1.1 }?.0
  }
}

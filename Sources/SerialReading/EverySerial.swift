import Imaging
import ScanModel

/// The overlapping tiles in which a large photo is read, one after the other, if every serial is wanted. Tiles overlap
/// by more than a serial's length.
struct PhotoTiles {
  /// One tile of the photo.
  struct Tile {
    var part: PhotoPart
    /// Which of its edges (left, top, right, bottom) lie inside the photo.
    var inner: (left: Bool, top: Bool, right: Bool, bottom: Bool)
  }

  /// The longer side of a tile in pixels of the photo. Tiles are read without reduction.
  private static let side = 1700.0
  /// The overlap of two tiles in pixels.
  private static let overlap = 350.0
  /// The longest side in pixels of a photo that is read only as a whole.
  private static let leastSide = 2000
  /// The most tiles along a side.
  private static let most = 5

  /// The tiles in reading order; empty for a small photo.
  let parts: [Tile]

  init(of size: PixelSize, in photo: Photo) {
    guard max(size.width, size.height) > Self.leastSide else {
      parts = []
      return
    }
    let isSideways = photo.isStoredSideways
    let columns = Self.ranges(isSideways ? size.height : size.width)
    let rows = Self.ranges(isSideways ? size.width : size.height)
    parts = rows.flatMap { row in
      columns.compactMap { column in
        PhotoPart(left: column.first, top: row.first, right: column.last, bottom: row.last).map {
          Tile(part: $0, inner: (column.first > 0, row.first > 0, column.last < 1, row.last < 1))
        }
      }
    }
  }

  /// The shares of a side that the tiles cover.
  private static func ranges(_ side: Int) -> [(first: Double, last: Double)] {
    let length = Double(side)
    guard length > self.side else { return [(0, 1)] }
    let needed = ((length - overlap) / (self.side - overlap)).rounded(.up)
    let count = min(Double(most), needed)
    let step = (length - overlap) / count
    return (0..<Int(count)).map { index in
      (max(0, Double(index) * step / length), min(1, (Double(index + 1) * step + overlap) / length))
    }
  }
}

/// Merges the serials of a photo and of its tiles by their places.
struct EverySerial {
  /// The most serials reported.
  static let most = 64
  /// The least distance, in heights of capitals, of a read from a tile edge inside the photo. Nearer reads may be cut
  /// off.
  private static let edge = 1.2
  /// The least confidence of another reading of the same place that reduces a read's confidence, as in `FusedSerial`.
  private static let leastOfRival = 0.25

  private let thresholds: ReadingThresholds
  private var first: Reading
  private var reads: [SerialRead]
  private var notes: [String]

  /// Starts with the reading of the whole photo.
  init(_ first: Reading, thresholds: ReadingThresholds) {
    (self.first, self.thresholds) = (first, thresholds)
    (reads, notes) = ([], first.notes)
    for read in first.serials + (first.refused ?? []) { add(read) }
  }

  /// Whether more serials can be reported.
  var hasRoom: Bool { reads.count { $0.confidence >= thresholds.refuse } < Self.most }

  /// The serials accepted so far.
  var sure: [SerialRead] { reads.filter { $0.confidence >= thresholds.accept } }

  /// Adds the reading of a tile.
  mutating func add(_ reading: Reading, of tile: PhotoTiles.Tile, in photo: Photo) {
    for read in reading.serials + (reading.refused ?? []) where !isCut(read, tile, photo) { add(read) }
    first.trace += reading.trace
    if let fields = reading.fields { first.fields = (first.fields ?? []) + fields }
    notes += reading.notes.filter { !notes.contains($0) }
  }

  /// Whether a read is so near to an edge of its tile that it may continue beyond.
  private func isCut(_ read: SerialRead, _ tile: PhotoTiles.Tile, _ photo: Photo) -> Bool {
    guard let region = read.region, let box = PrintedBox(region) else { return true }
    return photo.distances(toEdgesFrom: photo.unplaced(region), inner: tile.inner)
      .contains { $0 < Self.edge * box.capital }
  }

  /// Adds a read. Equal serials count as one device; other serials at the same place are alternative readings of it.
  private mutating func add(_ read: SerialRead) {
    var read = read
    if let same = reads.firstIndex(where: { $0.serial == read.serial }) {
      let (better, other) =
        reads[same].confidence >= read.confidence ? (reads[same], read) : (read, reads[same])
      reads[same] = better.alsoSeen(at: other.allPlaces)
      return
    }
    for index in reads.indices where reads[index].sharesPlace(with: read) {
      let (own, other) = (reads[index], read)
      reads[index].doubt(other, ifAtLeast: Self.leastOfRival)
      read.doubt(own, ifAtLeast: Self.leastOfRival)
    }
    reads.append(read)
  }

  /// The merged reading: the most probable serial of each place, with the others as refused.
  func reading(_ timer: ReadingTimer) -> Reading {
    var reading = first
    let ordered = reads.enumerated().sorted { ($1.element.confidence, $0.offset) < ($0.element.confidence, $1.offset) }
      .map(\.element)
    var (told, rest): ([SerialRead], [SerialRead]) = ([], [])
    for read in ordered {
      let isTold =
        read.confidence >= thresholds.refuse && told.count < Self.most
        && !told.contains { $0.sharesPlace(with: read) }
      if isTold { told.append(read) } else { rest.append(read) }
    }
    for index in told.indices { told[index].verdict = thresholds.verdict(on: told[index].confidence) }
    reading.serials = told
    reading.refused = rest.prefix(Reading.mostRefused).map { read in
      var refused = read.withoutCharacters
      refused.verdict = .refused
      return refused
    }
    reading.verdict = told.first?.verdict ?? .refused
    reading.notes = notes
    reading.isOfEverySerial = true
    if let top = told.first, top.serial != first.topSerial?.serial { reading.strategyUsed = top.strategy }
    (reading.processingTime, reading.cpuTime) = (timer.wallSeconds, timer.cpuSeconds)
    return reading
  }
}

extension SerialRead {
  /// Every place where it was read.
  var allPlaces: [Quadrilateral] { [region].compactMap(\.self) + (places ?? []) }

  /// Whether both were read from the same line.
  func sharesPlace(with other: SerialRead) -> Bool {
    allPlaces.contains { place in
      guard let box = PrintedBox(place) else { return false }
      return other.allPlaces.compactMap(PrintedBox.init).contains { box.isOneLine(with: $0) }
    }
  }

  /// The same read with additional places, each once.
  fileprivate func alsoSeen(at more: [Quadrilateral]) -> SerialRead {
    var seen = self
    var boxes = allPlaces.compactMap(PrintedBox.init)
    for place in more {
      guard let box = PrintedBox(place), !boxes.contains(where: { $0.isOneLine(with: box) }) else { continue }
      seen.places = (seen.places ?? []) + [place]
      boxes.append(box)
    }
    return seen
  }

  /// Reduces the confidence by another reading of its place, unless that one is a part of this read.
  fileprivate mutating func doubt(_ other: SerialRead, ifAtLeast least: Double) {
    if other.confidence < least || serial.hasPrefix(other.serial) || serial.hasSuffix(other.serial) { return }
    let isCut = other.serial.hasPrefix(serial) || other.serial.hasSuffix(serial)
    confidence *= isCut ? FusedSerial.trustOfCut : 1 - 0.5 * other.confidence
    if !(doubts ?? []).contains(.otherReading) { doubts = (doubts ?? []) + [.otherReading] }
  }
}

extension Photo {
  /// Whether turning the read area upright swaps its width and height.
  var isStoredSideways: Bool { file.isStoredSideways }

  /// The distances, in pixels, of a region from those edges of the read area that lie inside the photo.
  func distances(
    toEdgesFrom region: Quadrilateral, inner: (left: Bool, top: Bool, right: Bool, bottom: Bool)
  ) -> [Double] {
    guard let upright = try? full().toUploaded.inverse, let size = try? full().picture else { return [] }
    let corners = region.corners.map { upright.apply($0.x, $0.y) }
    let (x, y) = (corners.map(\.x), corners.map(\.y))
    let all = [
      (inner.left, x.min() ?? 0), (inner.top, y.min() ?? 0),
      (inner.right, Double(size.width) - (x.max() ?? 0)), (inner.bottom, Double(size.height) - (y.max() ?? 0)),
    ]
    return all.filter(\.0).map(\.1)
  }
}

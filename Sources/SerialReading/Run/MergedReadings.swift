import Imaging
import ScanModel

extension Reading {
  /// Combines a reading that is empty or uncertain with the reading of a changed copy of the photo.
  ///
  /// The second reading is judged on its own, because both readings may share the same misreading and confirm each
  /// other. It replaces a first one that is not empty if it accepts the same serial. If it accepts another one without
  /// the shadows, that is told, but not accepted.
  func followed(by second: Reading, of change: Change) -> Reading {
    let second = second.named(change.suffix)
    let isSame = second.topSerial?.serial == topSerial?.serial
    guard serials.isEmpty || (second.verdict == .accepted && (isSame || change == .evened)) else {
      var all = self
      all.trace += second.trace
      (all.processingTime, all.cpuTime) = (second.processingTime, second.cpuTime)
      return all
    }
    var all = second
    all.fallbackUsed = second.topSerial != nil
    if !serials.isEmpty, !isSame { all.doubtTop() }
    all.trace = trace + second.trace
    if let fields { all.fields = fields + (second.fields ?? []) }
    all.notes = notes + second.notes.filter { !notes.contains($0) }
    return all
  }

  /// The same reading with a suffix to the names of its strategies.
  private func named(_ suffix: String) -> Reading {
    var named = self
    named.strategyUsed += suffix
    for index in trace.indices { named.trace[index].strategy += suffix }
    for index in serials.indices { named.serials[index].strategy += suffix }
    return named
  }

  /// Makes the top serial uncertain, since another one was read at its place.
  private mutating func doubtTop() {
    guard var top = serials.first else { return }
    top.verdict = .uncertain
    top.confidence = min(top.confidence, Calibration.mostOfUnconfirmed)
    top.doubts = [.otherReading]
    serials[0] = top
    verdict = .uncertain
  }
}

extension Change {
  /// The suffix of the name of a strategy that ran on the changed copy.
  fileprivate var suffix: String {
    switch self {
    case .closer: "-closer"
    case .smoothed: "-smoothed"
    case .evened: "-evened"
    }
  }
}

/// The pages of a file after its first.
struct FilePages {
  /// The most pages of a file that are read.
  static let most = 8

  /// The further pages that fit the pixel limit, which counts all pages of the file together.
  let further: [EncodedPicture]
  /// Whether pages are left out because there are too many or they exceed the pixel limit.
  let areMore: Bool

  init(after first: EncodedPicture, limits: PictureLimits) {
    let pages = first.pages(most: Self.most + 1).dropFirst()
    var pixels = first.header.pixelCount
    further = Array(
      pages.prefix(Self.most - 1).prefix { page in
        pixels = min(pixels, limits.maxPixels) + min(page.header.pixelCount, limits.maxPixels + 1)
        return pixels <= limits.maxPixels
      })
    areMore = further.count < pages.count
  }
}

/// Merges the readings of the pages of one file.
///
/// The most confident serial of any page is the file's. If pages have different serials, none is accepted. If every
/// serial is wanted, those of all pages are reported.
struct PagedReading {
  private var best: Reading
  private var bestPage = 1
  private var pages = 1
  private var readings: [(page: Int, serial: SerialRead)] = []
  private var unreadable: [Int] = []
  private let isForEverySerial: Bool

  init(_ first: Reading, isForEverySerial: Bool) {
    best = first
    self.isForEverySerial = isForEverySerial
    note(first)
  }

  /// Adds the reading of the next page.
  ///
  /// - Returns: Whether it is more confident than all pages before it.
  mutating func add(_ next: Reading) -> Bool {
    pages += 1
    note(next)
    let isSurer = (next.topSerial?.confidence ?? 0) > (best.topSerial?.confidence ?? 0)
    var chosen = isSurer ? next : best
    chosen.trace = best.trace + next.trace
    chosen.notes = best.notes + next.notes.filter { !best.notes.contains($0) }
    (chosen.processingTime, chosen.cpuTime) = (next.processingTime, next.cpuTime)
    best = chosen
    if isSurer { bestPage = pages }
    return isSurer
  }

  /// Adds a page that can't be decoded.
  mutating func addUnreadable() {
    pages += 1
    unreadable.append(pages)
  }

  private mutating func note(_ reading: Reading) {
    readings += reading.serials.prefix(isForEverySerial ? reading.serials.count : 1).map { (pages, $0) }
  }

  /// Adds notes on the other serials of pages and withdraws acceptance if there are any.
  private func tellOthers(than top: SerialRead, in reading: inout Reading) {
    for other in readings where other.serial.serial != top.serial {
      reading.notes.append("Page \(other.page) has \(other.serial.serial): compare both with the photo.")
      guard reading.verdict == .accepted else { continue }
      reading.verdict = .uncertain
      for index in reading.serials.indices where reading.serials[index].verdict == .accepted {
        reading.serials[index].verdict = .uncertain
      }
    }
  }

  /// Adds the serials of other pages, each once.
  private func tellAll(in reading: inout Reading) {
    for other in readings.sorted(by: { $0.serial.confidence > $1.serial.confidence })
    where reading.serials.count < EverySerial.most
      && !reading.serials.contains(where: { $0.serial == other.serial.serial })
    {
      let place = reading.serials.firstIndex { $0.confidence < other.serial.confidence }
      reading.serials.insert(other.serial, at: place ?? reading.serials.endIndex)
      reading.notes.append("\(other.serial.serial) is on page \(other.page).")
    }
  }

  func reading(of file: FilePages) -> Reading {
    var reading = best
    guard !file.further.isEmpty || file.areMore else { return reading }
    if let top = reading.topSerial {
      reading.notes.append("The serial is on page \(bestPage).")
      if isForEverySerial {
        tellAll(in: &reading)
      } else {
        tellOthers(than: top, in: &reading)
      }
    }
    if !unreadable.isEmpty {
      reading.notes.append("Pages that can't be decoded: \(unreadable.map(String.init).joined(separator: ", ")).")
    }
    if file.areMore || pages <= file.further.count {
      reading.notes.append(
        "Only the first \(pages) pages were read: the others are too many or too large, or there was no time left.")
    }
    return reading
  }
}

extension ReadProgress {
  /// The progress of opening a file.
  static let opening = ReadProgress(fraction: 0.05, message: "Opening the photo")

  /// Converts the progress of one page to that of its file.
  func scaled(to share: Double, from start: Double) -> ReadProgress {
    ReadProgress(fraction: max(Self.opening.fraction, start + share * fraction), message: message)
  }
}

/// The overlapping tiles in which a large photo is read, one after the other, if every serial is wanted. Tiles overlap
/// by more than the length of a serial that the whole photo does not show well enough.
package struct PhotoTiles {
  /// One tile of the photo.
  package struct Tile {
    /// The area that the tile covers.
    package var part: PhotoPart
    /// Which of its edges (left, top, right, bottom) lie inside the photo.
    var inner: (left: Bool, top: Bool, right: Bool, bottom: Bool)
  }

  /// The longer side of a tile in pixels of the photo. Strategies reduce larger pictures, which takes time and blurs
  /// small print. The two pixels less are those that rounding may add at the edges.
  private static let side = Double(Photo.workingSide - 2)
  /// The overlap of two tiles in pixels.
  private static let overlap = 250.0
  /// The longest side in pixels of a photo that is read only as a whole.
  static let mostOfWhole = 2000
  /// The most tiles along a side.
  private static let most = 5

  /// The tiles in reading order; empty for a small photo.
  package let parts: [Tile]

  /// Divides a photo.
  ///
  /// - Parameters:
  ///   - size: The photo's width and height as uploaded, in pixels.
  ///   - isSideways: Whether turning the photo upright swaps them.
  package init(of size: PixelSize, isSideways: Bool) {
    guard max(size.width, size.height) > Self.mostOfWhole else {
      parts = []
      return
    }
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

  mutating func add(_ reading: Reading, of tile: PhotoTiles.Tile, in photo: Photo) {
    for read in reading.serials + (reading.refused ?? []) where !isCut(read, tile, photo) { add(read) }
    first.trace += reading.trace
    if let fields = reading.fields { first.fields = (first.fields ?? []) + fields }
    notes += reading.notes.filter { !notes.contains($0) }
  }

  /// Whether a read is so near to an edge of its tile that it may continue beyond.
  private func isCut(_ read: SerialRead, _ tile: PhotoTiles.Tile, _ photo: Photo) -> Bool {
    guard let region = read.region, let box = PrintedBox(region) else { return true }
    return photo.distances(from: photo.unplaced(region), toInnerEdgesOf: tile).contains { $0 < Self.edge * box.capital }
  }

  /// Adds a read. Equal serials count as one device; other serials at the same place are alternative readings of it.
  private mutating func add(_ read: SerialRead) {
    var read = read
    if let same = reads.firstIndex(where: { $0.serial == read.serial }) {
      let (better, other) = reads[same].confidence >= read.confidence ? (reads[same], read) : (read, reads[same])
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
    var (told, rest): ([SerialRead], [SerialRead]) = ([], [])
    for read in reads.sorted(by: { $0.confidence > $1.confidence }) {
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
    confidence *= isCut ? FusedSerial.trustOfCut : 1 - FusedSerial.doubtOfDispute * other.confidence
    if !(doubts ?? []).contains(.otherReading) { doubts = (doubts ?? []) + [.otherReading] }
  }
}

extension Photo {
  /// The distances, in pixels, of a region from those edges of a tile, which this is, that lie inside the whole photo.
  fileprivate func distances(from region: Quadrilateral, toInnerEdgesOf tile: PhotoTiles.Tile) -> [Double] {
    guard let upright = try? full().toUploaded.inverse, let size = try? full().picture else { return [] }
    let corners = region.corners.map { upright.apply(PlanePoint($0)) }
    let (x, y) = (corners.map(\.x), corners.map(\.y))
    let all = [
      (tile.inner.left, x.min() ?? 0), (tile.inner.top, y.min() ?? 0),
      (tile.inner.right, Double(size.width) - (x.max() ?? 0)),
      (tile.inner.bottom, Double(size.height) - (y.max() ?? 0)),
    ]
    return all.filter(\.0).map(\.1)
  }
}

import Imaging
import ScanModel

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
      reading.notes.append("\(other.serial.serial) stands on page \(other.page).")
    }
  }

  /// The merged reading of the file.
  func reading(of file: FilePages) -> Reading {
    var reading = best
    guard !file.further.isEmpty || file.areMore else { return reading }
    if let top = reading.topSerial {
      reading.notes.append("The serial stands on page \(bestPage).")
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

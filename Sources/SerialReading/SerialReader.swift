import AppleSerial
import Imaging
import ScanModel
import TextReading

/// Reads the serial in a photo: takes one photo and returns one `Reading`.
///
/// Keeps its engines initialised. Confined to one thread.
public final class SerialReader {
  let engine: TextEngine
  /// Called with every line that is read.
  package var observer: LineObserver?
  /// Called with every candidate of a strategy, before other strategies or later checks change its confidence.
  package var candidateObserver: ((Candidate) -> Void)?
  /// Called with the serials of a photo once they are judged, and with those of its smoothed copy.
  package var judgementObserver: (([JudgedSerial]) -> Void)?
  /// Collects how a photo is read; nil if no explanation was requested.
  var explanation: ReadingExplanation?
  private let parameters: [Preset: [String: Double]]
  let thresholds: ReadingThresholds
  let fields: FieldReading

  /// Starts a reader with its engines.
  ///
  /// - Parameters:
  ///   - parameters: The configured parameters of the presets, by name. All declared ones are required.
  ///   - thresholds: The thresholds for the verdict.
  ///   - fields: Which fields next to serials to report.
  /// - Throws: `ReadFailure` with the code `readerUnavailable` if the text model can't be loaded or a parameter is
  ///   missing.
  public init(
    parameters: [Preset: [String: Double]], thresholds: ReadingThresholds, fields: FieldReading = .near
  ) throws(ReadFailure) {
    for preset in Preset.allCases { _ = try PresetParameters(preset: preset, overlaidBy: parameters[preset] ?? [:]) }
    self.parameters = parameters
    self.thresholds = thresholds
    self.fields = fields
    do throws(TextEngine.StartError) {
      engine = try TextEngine()
    } catch {
      throw ReadFailure(.readerUnavailable, "The text model could not be loaded. Install the program again.")
    }
  }

  /// Reads one photo.
  ///
  /// - Parameters:
  ///   - bytes: The photo's file.
  ///   - request: How to read it.
  ///   - progress: Called with the current activity before each strategy.
  /// - Throws: `ReadFailure` if the photo can't be read at all. A photo without a serial returns a reading without
  ///   serials.
  public func read(
    _ bytes: [UInt8], _ request: ReadRequest, progress: (ReadProgress) -> Void = { _ in }
  ) throws(ReadFailure) -> ReadAnswer {
    guard let name = request.explainedAs else { return try answer(bytes, request, progress: progress) }
    return try explaining(as: name) { () throws(ReadFailure) in try answer(bytes, request, progress: progress) }
  }

  private func answer(
    _ bytes: [UInt8], _ request: ReadRequest, progress: (ReadProgress) -> Void
  ) throws(ReadFailure) -> ReadAnswer {
    let timer = ReadingTimer(budget: request.timeBudget)
    progress(.opening)
    var photo = try Photo(
      bytes: bytes, limits: request.limits, part: request.part, wantsEverySerial: request.wantsEverySerial)
    let pages = FilePages(after: photo.file, limits: request.limits)
    let share = 1 / Double(pages.further.count + 1)
    var reading = PagedReading(
      try readChanges(in: photo, request, timer) { progress($0.scaled(to: share, from: 0)) },
      isForEverySerial: request.wantsEverySerial)
    for (index, page) in pages.further.enumerated() where timer.hasTime {
      do throws(ReadFailure) {
        let next = try Photo(
          bytes: bytes, limits: request.limits, part: request.part, page: page,
          wantsEverySerial: request.wantsEverySerial)
        let found = try readChanges(in: next, request, timer) {
          progress($0.scaled(to: share, from: share * Double(index + 1)))
        }
        if reading.add(found) { photo = next }
      } catch {
        reading.addUnreadable()
      }
    }
    let found = reading.reading(of: pages)
    var all = fields != .none ? found.assigningFields(request.codes ?? ConfigurationCodes()) : found
    if all.serials.isEmpty { all.flaw = try photo.flaw() }
    if request.wantsCodes { all.codes = try otherCodes(in: photo, beside: all, timer) }
    let annotation = request.wantsAnnotation ? try annotated(photo, all, request) : nil
    progress(ReadProgress(fraction: 1, message: "Done"))
    return ReadAnswer(
      all, annotation: annotation, thumbnail: request.wantsThumbnail ? thumbnail(of: photo, request) : nil)
  }

  /// Returns the contents of codes that hold no serial. Searches the whole picture and then its patterned regions, if
  /// reading the serial did not take that.
  private func otherCodes(
    in photo: Photo, beside reading: Reading, _ timer: ReadingTimer
  ) throws(ReadFailure) -> [String] {
    let searched = Set(reading.trace.map(\.strategy))
    for scope in [BarcodeStrategy.Scope.whole, .regions] {
      let strategy = BarcodeStrategy(scope: scope)
      guard photo.textSeen.otherCodes.isEmpty, timer.hasTime else { break }
      if !searched.contains(strategy.name) { try strategy.codes(in: photo, while: { timer.hasTime }) }
    }
    return photo.textSeen.otherCodes
  }

  /// Reads one photo, then again where small print stands, with its noise smoothed, or with its shadows removed, if that may
  /// bring a serial or certainty about one.
  private func readChanges(
    in photo: Photo, _ request: ReadRequest, _ timer: ReadingTimer, progress: (ReadProgress) -> Void
  ) throws(ReadFailure) -> Reading {
    var reading = try read(photo, request, timer) {
      progress(ReadProgress(fraction: 0.1 + 0.6 * $0, message: $1.activity))
    }
    func follow(
      _ change: Change, in copy: Photo, from start: Double, _ words: String
    ) throws(ReadFailure) {
      let second = try read(copy, request, timer) {
        progress(ReadProgress(fraction: start + 0.1 * $0, message: $1.activity + words))
      }
      reading = reading.followed(by: second, of: change)
    }
    if reading.serials.isEmpty, !request.wantsEverySerial, timer.hasTime,
      let part = try photo.smallPrintPart(try parameters(of: .etched))
    {
      try follow(.closer, in: photo.part(part, isCloser: true), from: 0.7, ", closer up")
    }
    if try noiseMayHide(reading, photo, request), timer.hasTime {
      try follow(.smoothed, in: photo.changed(.smoothed), from: 0.8, ", its noise smoothed")
    }
    if try shadowMayHide(reading, photo, request), timer.hasTime {
      try follow(.evened, in: photo.changed(.evened), from: 0.9, ", its shadows removed")
    }
    return request.wantsEverySerial ? try readingEverySerial(after: reading, photo, request, timer) : reading
  }

  /// Whether noise may be why nothing was read or why the serial is uncertain.
  private func noiseMayHide(_ reading: Reading, _ photo: Photo, _ request: ReadRequest) throws(ReadFailure) -> Bool {
    guard try photo.isNoisy() else { return false }
    if let top = reading.topSerial { return !request.wantsEverySerial && top.isOnlyUnclear }
    if photo.textSeen.isOtherText { return try photo.noise().looksLikeStrokes }
    return true
  }

  /// Whether the edge of a shadow may be why the serial is uncertain, or why none was read where other print promises one.
  private func shadowMayHide(_ reading: Reading, _ photo: Photo, _ request: ReadRequest) throws(ReadFailure) -> Bool {
    guard !request.wantsEverySerial, try !photo.isScreenshot() else { return false }
    if let top = reading.topSerial {
      if top.isOnlyUnclear { return true }
      guard top.verdict != .accepted, let region = top.region else { return false }
      return try photo.hasShadowEdge(across: photo.unplaced(region))
    }
    guard photo.textSeen.promisesSerial else { return false }
    return try photo.hasShadowEdgeAcrossLines()
  }

  /// Continues with the tiles of the photo, each at full resolution, and merges the serials of all.
  private func readingEverySerial(
    after first: Reading, _ photo: Photo, _ request: ReadRequest, _ timer: ReadingTimer
  ) throws(ReadFailure) -> Reading {
    var every = EverySerial(first, thresholds: thresholds)
    for part in PhotoTiles(of: photo.uploadedSize, isSideways: photo.file.isStoredSideways).parts
    where timer.hasTime && every.hasRoom {
      let tile = try photo.part(part.part)
      tile.textSeen.takeOver(photo.textSeen, in: tile)
      for read in every.sure { read.allPlaces.map(tile.unplaced).forEach(tile.textSeen.noteSure) }
      every.add(try read(tile, request, timer) { _, _ in }, of: part, in: tile)
    }
    return every.reading(timer)
  }

  /// Reads one photo without smoothing or tiles.
  ///
  /// - Parameter progress: Called before each strategy with the completed share of the plan, 0...1, and the strategy.
  private func read(
    _ photo: Photo, _ request: ReadRequest, _ timer: ReadingTimer,
    progress: (Double, any ReadingStrategy) -> Void
  ) throws(ReadFailure) -> Reading {
    var run = try ReadingRun(photo, request, timer, by: self)
    return try run.reading(progress: progress)
  }

  /// The parameters of a preset, some of them replaced.
  func parameters(of preset: Preset, replacing replaced: [String: Double] = [:]) throws(ReadFailure) -> PresetParameters
  {
    try PresetParameters(preset: preset, overlaidBy: parameters[preset] ?? [:], replaced)
  }
}

extension SerialReader {
  /// Makes a thumbnail of the whole photo. A failure costs the thumbnail alone, hence nil.
  ///
  /// Formats that can only be decoded whole have one in gray, from the pixels that were read.
  private func thumbnail(of photo: Photo, _ request: ReadRequest) -> [UInt8]? {
    let (side, bytes, limit) = (Thumbnail.longestSide, Thumbnail.mostBytes, request.limits.maxPixels)
    if let colored = photo.file.colorThumbnail(longestSide: side, mostBytes: bytes, pixelLimit: limit) {
      return colored
    }
    let gray =
      request.part == nil
      ? try? photo.workingPicture() : try? photo.file.gray(pixelLimit: limit)
    return gray?.picture.thumbnail(longestSide: side, mostBytes: bytes)
  }

  /// Draws the reads into the photo, as PNG: green what is accepted, orange what is uncertain, gray all but the top read,
  /// and blue the fields next to serials, which have no text, since it would hide neighbouring fields.
  private func annotated(_ photo: Photo, _ reading: Reading, _ request: ReadRequest) throws(ReadFailure) -> [UInt8]? {
    func mark(_ region: Quadrilateral?, _ label: String, _ color: (UInt8, UInt8, UInt8)) -> Mark? {
      region.map { Mark(corners: $0.corners.map(PlanePoint.init), label: label, color: color) }
    }
    let fields = reading.serials.flatMap { $0.fields ?? [] }.compactMap { mark($0.region, "", (0, 90, 220)) }
    let reads = reading.serials.compactMap { read in
      let isTop = read == reading.topSerial || reading.isOfEverySerial == true
      let isAccepted = (read.verdict ?? reading.verdict) == .accepted
      // Rounded down, so that no read shows 100%.
      return mark(
        read.region, "\(read.serial) \(Int(read.confidence * 100))%",
        !isTop ? (128, 128, 128) : isAccepted ? (0, 170, 0) : (255, 128, 0))
    }
    do throws(PictureError) {
      return try photo.file.annotatedPNG(fields + reads, pixelLimit: request.limits.maxPixels)
    } catch {
      throw ReadFailure(error)
    }
  }
}

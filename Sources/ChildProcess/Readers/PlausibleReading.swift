import ScanModel

extension Reading {
  /// Upper bound on the numbers of serials, strategies and notes of a photo.
  private static let most = 1_000
  /// Upper bound on the seconds of a read.
  private static let longest = 1e6

  /// Throws if a working reader would never return this for a photo within `limits`.
  func check(limits: PictureLimits) throws(Implausible) {
    for count in [serials.count, trace.count, notes.count] {
      try require(count <= Self.most, "a reading with \(count) entries of one kind")
    }
    let refused = refused ?? []
    try require(refused.count <= Self.mostRefused, "\(refused.count) refused serials")
    for read in serials + refused { try read.check() }
    for entry in trace { try entry.check() }
    try FieldRead.check(fields)
    try require((codes ?? []).count <= Self.mostCodes, "more codes than requested")
    try require((codes ?? []).allSatisfy(\.isContent), "an invalid content of a code")
    try require(custom == nil, "values of custom fields, which a reader does not know")
    try require(notes.allSatisfy(\.isSentence), "an invalid note")
    try require(strategyUsed.isName, "a strategy without a name")
    try require(verdict == .refused || !serials.isEmpty, "a verdict without a serial")
    try require(photoSize.isPlausible(limits), "a photo of impossible size")
    for seconds in [processingTime, cpuTime] { try Self.check(seconds: seconds) }
  }

  fileprivate static func check(seconds: Double) throws(Implausible) {
    try require((0...longest).contains(seconds), "an impossible time")
  }
}

extension CharacterRead {
  fileprivate func check() throws(Implausible) {
    try require(alternatives.count <= Self.mostAlternatives, "\(alternatives.count) alternatives")
    let told = [(character, confidence)] + alternatives.map { ($0.character, $0.confidence) }
    try require(
      told.allSatisfy { $0.isSerial && $0.utf8.count == 1 && (0...1).contains($1) }, "an invalid character")
  }
}

extension SerialRead {
  /// Upper bound on the number of doubts about a serial.
  private static let mostDoubts = 50
  /// Upper bound on the number of places of a serial in a photo.
  private static let mostPlaces = 1_000

  fileprivate func check() throws(Implausible) {
    try require(serial.isSerial, "a serial with impossible characters")
    try require((0...1).contains(confidence), "a confidence outside 0...1")
    try require(method.isName && strategy.isName, "a method without a name")
    try require(roiIndex.map { (0...1_000_000).contains($0) } ?? true, "an impossible index")
    try require(([region].compactMap(\.self) + (places ?? [])).allSatisfy(\.isPlausible), "an invalid region")
    try require((places ?? []).count <= Self.mostPlaces, "too many places")
    try require(label?.isSentence ?? true, "an invalid label")
    try FieldRead.check(fields)
    for character in characters ?? [] { try character.check() }
    try require((characters ?? []).count <= serial.utf8.count, "more characters than the serial has")
    try require((doubts ?? []).count <= Self.mostDoubts, "too many doubts")
    try require((doubts ?? []).allSatisfy { $0.code.isName && $0.sentence.isSentence }, "an invalid doubt")
  }
}

extension FieldRead {
  fileprivate static func check(_ fields: [FieldRead]?) throws(Implausible) {
    let fields = fields ?? []
    try require(Set(fields.map(\.kind)).count == fields.count, "several fields of one kind")
    for field in fields {
      try require((0...1).contains(field.confidence), "a confidence outside 0...1")
      try require(field.region?.isPlausible ?? true, "an invalid region")
      try require(field.isWellFormed, "a field of the wrong format")
    }
  }
}

extension StrategyTrace {
  fileprivate func check() throws(Implausible) {
    try require(strategy.isName && outcome.isSentence, "a strategy without a name or an outcome")
    try require(serial?.isSerial ?? true, "a serial with impossible characters")
    try require(confidence.map { (0...1).contains($0) } ?? true, "a confidence outside 0...1")
    try Reading.check(seconds: seconds)
  }
}

extension Quadrilateral {
  /// Whether it has four corners in or near an image.
  fileprivate var isPlausible: Bool {
    let farthest = Double(Int32.max)
    return corners.count == 4 && corners.allSatisfy { abs($0.x) <= farthest && abs($0.y) <= farthest }
  }
}

extension PixelSize {
  fileprivate func isPlausible(_ limits: PictureLimits) -> Bool {
    let (pixels, isTooLarge) = width.multipliedReportingOverflow(by: height)
    return width > 0 && height > 0 && !isTooLarge && pixels <= limits.maxPixels
  }
}

extension String {
  /// Whether this is 1 to 32 capitals and digits; no maker's serials are longer.
  fileprivate var isSerial: Bool {
    (1...32).contains(utf8.count) && utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) }
  }

  /// Whether this is a code's content as `Reading.codes` has it: one line, not empty and not too long.
  fileprivate var isContent: Bool {
    (1...Reading.longestCode).contains(unicodeScalars.prefix(Reading.longestCode + 1).count)
      && unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }

  /// Whether this is printable ASCII, short enough for a metric's label.
  fileprivate var isName: Bool { (1...64).contains(utf8.count) && utf8.allSatisfy { (0x20...0x7e).contains($0) } }
}

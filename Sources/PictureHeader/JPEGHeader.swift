/// Reads JPEG headers (ITU-T T.81): the segments from the start to the frame header, then the end of the last scan.
enum JPEGHeader {
  /// The maximum number of segments before the first scan.
  private static let segmentLimit = 4096
  /// The maximum number of segments between scans. Progressive photos have about ten scans, each preceded by a table or
  /// two.
  private static let segmentLimitBetweenScans = 1024
  /// The maximum number of scans. A decoder processes the whole picture for every scan, and a scan may take only a few
  /// bytes: without a limit, a file of a few megabytes costs minutes.
  private static let scanLimit = 100

  static func read(_ source: MeteredSource) throws(PictureHeaderError) -> PictureHeader {
    var offset = 2
    var size: (width: Int, height: Int)?
    var components = 0
    var isProgressive = false
    var orientation = 1
    for _ in 0..<segmentLimit {
      let marker = try nextMarker(source, at: &offset)
      if marker == 0xD9 { throw .truncated }
      if (0xD0...0xD8).contains(marker) || marker == 0x01 { continue }
      let length = try source.bytes(at: offset, count: 2).bigEndian(at: 0, count: 2) ?? 0
      guard length >= 2 else { throw .damaged("a segment has an impossible length") }
      if isFrameHeader(marker) {
        let frame = try source.bytes(at: offset + 2, count: 6)
        size = (frame.bigEndian(at: 3, count: 2) ?? 0, frame.bigEndian(at: 1, count: 2) ?? 0)
        components = Int(clamping: frame[5])
        isProgressive = marker & 0x03 == 2
      } else if marker == 0xE1 {
        orientation = exifOrientation(source, at: offset + 2, length: length - 2) ?? orientation
      }
      let segment = offset + 2
      offset += length
      if marker == 0xDA {
        guard let size else { throw .damaged("it has no frame header") }
        let ofFirstScan = Int(clamping: try source.bytes(at: segment, count: 1)[0])
        let hasSeveralScans = isProgressive || ofFirstScan < components
        var header = PictureHeader(format: .jpeg, width: size.width, height: size.height, orientation: orientation)
        if try !isComplete(source, after: offset, hasSeveralScans: hasSeveralScans) {
          guard let end = BaselineWalk.endOfPicture(source) else { throw .truncated }
          header.unmarkedEnd = end
        }
        return header
      }
    }
    throw .damaged("it has too many segments")
  }

  /// Whether a marker is SOF0 to SOF15; excludes DHT (C4), JPG (C8) and DAC (CC), which share the range.
  private static func isFrameHeader(_ marker: UInt8) -> Bool {
    (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
  }

  /// The most bytes between two segments. Some webcams write a few that belong to none.
  private static let gapLimit = 16

  /// Returns the marker at `offset` and moves `offset` past it; skips fill bytes (FF) before the marker, and a few others
  /// as libjpeg does.
  private static func nextMarker(_ source: MeteredSource, at offset: inout Int) throws(PictureHeaderError) -> UInt8 {
    let bytes = source.read(at: offset, count: 64)
    guard bytes.count >= 2 else { throw .truncated }
    guard let start = bytes.prefix(gapLimit + 1).firstIndex(of: 0xFF) else {
      throw .damaged("a segment does not begin with a marker")
    }
    guard let index = bytes[start...].firstIndex(where: { $0 != 0xFF }) else {
      throw .damaged("it has too many fill bytes")
    }
    guard bytes[index] != 0 else { throw .damaged("a segment does not begin with a marker") }
    offset += index + 1
    return bytes[index]
  }

  private static func exifOrientation(_ source: MeteredSource, at offset: Int, length: Int) -> Int? {
    // EXIF is in one segment, so it takes at most 64 KiB.
    let segment = source.read(at: offset, count: length)
    guard segment.holds("Exif", at: 0), segment.count > 6 else { return nil }
    return TIFFHeader.orientation(MeteredSource(Array(segment[6...]), of: source))
  }

  /// Whether the end-of-image marker follows the scans.
  ///
  /// The marker usually ends the file. If data follows it (a motion photo's video, padding), or if the scans must be
  /// counted, walks the scans.
  private static func isComplete(
    _ source: MeteredSource, after start: Int, hasSeveralScans: Bool
  ) throws(PictureHeaderError) -> Bool {
    let isAtEnd = source.size >= start + 2 && source.read(at: source.size - 2, count: 2) == [0xFF, 0xD9]
    if isAtEnd, !hasSeveralScans { return true }
    let walk = walkScans(source, after: start)
    if walk.scans > scanLimit || walk.segments > segmentLimitBetweenScans {
      throw .damaged("it has more scans than any photo")
    }
    return isAtEnd || walk.hasEnded
  }

  /// The scans found between the first scan and the end of the picture.
  private struct Scans {
    var scans = 1
    var segments = 0
    var hasEnded = false
  }

  /// Counts the scans up to the end-of-image marker. Within a scan, FF is followed by 00 or by a restart marker, so FF
  /// D9 is always the end.
  private static func walkScans(_ source: MeteredSource, after start: Int) -> Scans {
    let chunkSize = 64 * 1024
    var found = Scans()
    var lastWasFF = false
    var offset = start
    while offset < source.size {
      let chunk = source.read(at: offset, count: chunkSize)
      if chunk.isEmpty { return found }
      var index = 0
      while index < chunk.count {
        let byte = chunk[index]
        index += 1
        guard lastWasFF, !isWithinScan(byte) else {
          lastWasFF = byte == 0xFF
          continue
        }
        found.hasEnded = byte == 0xD9
        // Skip a segment between two scans, within the chunk if it ends there.
        guard !found.hasEnded, let length = source.read(at: offset + index, count: 2).bigEndian(at: 0, count: 2),
          length >= 2
        else { return found }
        found.segments += 1
        if byte == 0xDA { found.scans += 1 }
        if found.scans > scanLimit || found.segments > segmentLimitBetweenScans { return found }
        lastWasFF = false
        index += length
      }
      offset += index
    }
    return found
  }

  /// Whether a byte after FF belongs to the scan: a stuffed zero, a fill byte, or a marker without a length.
  private static func isWithinScan(_ byte: UInt8) -> Bool {
    byte == 0x00 || byte == 0x01 || byte == 0xFF || (0xD0...0xD7).contains(byte)
  }
}

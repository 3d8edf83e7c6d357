import Imaging
import ScanModel

/// Creates the marks that show reads in a photo.
enum ReadMark {
  /// A green mark for an accepted top read, orange for an uncertain one, gray for all others; nil without a region.
  static func mark(_ read: SerialRead, isTop: Bool, _ verdict: Reading.Verdict) -> Mark? {
    guard let region = read.region else { return nil }
    // Rounded down, so that no read shows 100%.
    let percent = Int(read.confidence * 100)
    return Mark(
      corners: region.corners.map { ($0.x, $0.y) }, label: "\(read.serial) \(percent)%",
      color: !isTop ? (128, 128, 128) : verdict == .accepted ? (0, 170, 0) : (255, 128, 0))
  }

  /// A blue frame for a field next to a serial; nil without a region. It has no text, which would hide neighbouring
  /// fields.
  static func mark(_ field: FieldRead) -> Mark? {
    guard let region = field.region else { return nil }
    return Mark(corners: region.corners.map { ($0.x, $0.y) }, label: "", color: (0, 90, 220))
  }
}

extension SerialReader {
  /// Makes a thumbnail of the whole photo. A failure costs the thumbnail alone, hence nil.
  ///
  /// Formats that can only be decoded whole have one in gray, from the pixels that were read.
  func thumbnail(of photo: Photo, _ request: ReadRequest) -> [UInt8]? {
    let (side, bytes, limit) = (Thumbnail.longestSide, Thumbnail.mostBytes, request.limits.maxPixels)
    if let colored = photo.file.colorThumbnail(longestSide: side, mostBytes: bytes, pixelLimit: limit) {
      return colored
    }
    let gray =
      request.part == nil
      ? try? photo.reduced(toSide: Photo.workingSide) : try? photo.file.gray(pixelLimit: limit)
    return gray?.picture.thumbnail(longestSide: side, mostBytes: bytes)
  }

  /// Draws the reads into the photo, as PNG; nil if memory ran out.
  func annotated(
    _ photo: Photo, _ reading: Reading, _ request: ReadRequest
  ) throws(ReadFailure) -> [UInt8]? {
    do throws(PictureError) {
      return try photo.file.annotatedPNG(
        reading.serials.flatMap { $0.fields ?? [] }.compactMap(ReadMark.mark)
          + reading.serials.compactMap {
            ReadMark.mark(
              $0, isTop: $0 == reading.topSerial || reading.isOfEverySerial == true, $0.verdict ?? reading.verdict)
          },
        pixelLimit: request.limits.maxPixels)
    } catch {
      throw ReadFailure(error)
    }
  }
}

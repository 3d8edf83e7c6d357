import Imaging
import ScanModel

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

  /// Draws the reads into the photo, as PNG: green what is accepted, orange what is uncertain, gray all but the top read,
  /// and blue the fields next to serials, which have no text, since it would hide neighbouring fields.
  func annotated(_ photo: Photo, _ reading: Reading, _ request: ReadRequest) throws(ReadFailure) -> [UInt8]? {
    func mark(_ region: Quadrilateral?, _ label: String, _ color: (UInt8, UInt8, UInt8)) -> Mark? {
      region.map { Mark(corners: $0.corners.map { ($0.x, $0.y) }, label: label, color: color) }
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

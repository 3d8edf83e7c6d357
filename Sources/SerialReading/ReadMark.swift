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

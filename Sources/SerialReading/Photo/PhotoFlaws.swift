import Imaging
import ScanModel

extension Photo {
  /// The gray value below which 99 % of a photo's pixels are if it is too dark.
  private static let leastBrightness: UInt8 = 40
  /// The least longer side of a photo, in pixels. Previews in messengers and lists are smaller.
  private static let leastSide = 640
  /// The least sharpness of a photo in focus, in the picture in which lines are searched. The figures are in
  /// docs/experiments.md.
  private static let leastSharpness = 0.45

  /// What plainly keeps it from being read; nil if nothing does.
  func flaw() throws(ReadFailure) -> PhotoFlaw? {
    let picture = try workingPicture().picture
    if picture.percentile(0.99) < Self.leastBrightness { return .tooDark }
    if max(wholeSize.width, wholeSize.height) < Self.leastSide { return .tooSmall }
    guard let sharpness = picture.sharpness else { return nil }
    return sharpness < Self.leastSharpness ? .outOfFocus : nil
  }
}

import Imaging
import ScanModel

/// Decides from the picture what kind of surface it most likely shows. A wrong guess costs time, not the serial: the
/// first strategy of every preset runs before the further ones of any.
enum PresetDecision {
  /// Half of a picture's pixels are darker than this in most photos of displays (they are lit themselves, what is around
  /// them is not, and many show light text on black), and in few of anything else. 0...255.
  static let darkMedian = 90

  /// The presets, the likeliest first.
  static func order(for photo: Photo) throws(ReadFailure) -> [Preset] {
    if try photo.isScreenshot() { return [.screen, .etched, .sticker] }
    let picture = try photo.reduced(toSide: Photo.workingSide).picture
    return medianGray(picture) < darkMedian ? [.screen, .etched, .sticker] : [.etched, .screen, .sticker]
  }

  private static func medianGray(_ picture: GrayPicture) -> Int {
    var histogram = [Int](repeating: 0, count: 256)
    for pixel in picture.pixels { histogram[Int(pixel)] += 1 }
    var below = 0
    for (gray, count) in histogram.enumerated() {
      below += count
      if below * 2 >= picture.pixels.count { return gray }
    }
    return 255
  }
}

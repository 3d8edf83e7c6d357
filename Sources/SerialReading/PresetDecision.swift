import Imaging
import ScanModel

/// Guesses the kind of surface from the picture. A wrong guess costs time, but no serial: the first strategy of every
/// preset runs before the further strategies of any.
enum PresetDecision {
  /// The median gray value, 0...255, below which a photo most likely shows a display. Displays are brighter than their
  /// surroundings, and many show light text on black.
  static let darkMedian = 90

  /// The presets, most likely first.
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

import AppleSerial
import ScanModel

/// A line that names a device of Apple's as its own label does: beside it a serial may stand without a label.
package struct DeviceMark: Sendable {
  /// Its middle, in pixels of the photo as uploaded.
  package var middle: PixelPoint
  /// Height of its capitals, in pixels of the photo as uploaded.
  package var capital: Double

  /// Distance of two lines' middles, in heights of capitals, up to which one stands beside the other: a label of a few lines.
  private static let reach = 16.0
  /// Its capitals as a share of those of a read beside it.
  private static let sizes = 0.6...1.7

  /// Takes the place of a line; nil where its text names no device.
  package init?(_ text: String, middle: PixelPoint, capital: Double) {
    guard LookAlike.namesDevice(text) else { return nil }
    (self.middle, self.capital) = (middle, capital)
  }

  /// Whether it stands beside a read, in letters of about its size.
  package func isBeside(_ read: Quadrilateral) -> Bool {
    guard let place = Sighting(read) else { return false }
    return isBeside(PixelPoint(x: place.middle.x, y: place.middle.y), capital: place.capital)
  }

  /// Whether it stands beside the middle of a text, in letters of about its size.
  func isBeside(_ other: PixelPoint, capital own: Double) -> Bool {
    own > 0 && Self.sizes.contains(capital / own)
      && distance((middle.x, middle.y), (other.x, other.y)) <= Self.reach * own
  }

  /// Whether a line is of those that are printed on devices: one that names a device of Apple's, tells where it was designed and assembled,
  /// or what mains it is made for.
  package static func isDevicePrint(_ text: String) -> Bool {
    let plain = text.lowercased().filter { $0 != " " }
    return LookAlike.namesDevice(text) || phrases.contains(where: plain.contains)
  }

  private static let phrases = [
    "designedbyapple", "appleincalifornia", "california.assembled", "californiaassembled", "100-240v", "poweradapter",
  ]
}

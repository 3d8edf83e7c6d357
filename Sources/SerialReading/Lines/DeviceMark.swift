import AppleSerial
import ScanModel

/// A line that names an Apple device as the device's own label does. A serial beside it may have no label.
package struct DeviceMark: Sendable {
  /// Its centre, in pixels of the photo as uploaded.
  package var middle: PixelPoint
  /// Height of its capitals, in pixels of the photo as uploaded.
  package var capital: Double

  /// Maximum distance of two lines' centres to count as beside each other, in capital heights: a label of a few lines.
  private static let reach = 16.0
  /// Range of its capital height as a share of that of a read beside it.
  private static let sizes = 0.6...1.7

  /// Creates a mark from a line; nil if its text names no device.
  package init?(_ text: String, middle: PixelPoint, capital: Double) {
    guard LookAlike.namesDevice(text) else { return nil }
    (self.middle, self.capital) = (middle, capital)
  }

  /// Whether it stands beside a read, in letters of about the same size.
  package func isBeside(_ read: Quadrilateral) -> Bool {
    guard let place = Sighting(read) else { return false }
    return isBeside(PixelPoint(x: place.middle.x, y: place.middle.y), capital: place.capital)
  }

  /// Whether it stands beside the centre of a text, in letters of about the same size.
  func isBeside(_ other: PixelPoint, capital own: Double) -> Bool {
    own > 0 && Self.sizes.contains(capital / own)
      && distance((middle.x, middle.y), (other.x, other.y)) <= Self.reach * own
  }

  /// Whether a line is one printed on devices: it names an Apple device, says where the device was designed and
  /// assembled, or gives its mains voltage.
  package static func isDevicePrint(_ text: String) -> Bool {
    let plain = text.lowercased().filter { $0 != " " }
    return LookAlike.namesDevice(text) || phrases.contains(where: plain.contains)
  }

  private static let phrases = [
    "designedbyapple", "appleincalifornia", "california.assembled", "californiaassembled", "100-240v", "poweradapter",
  ]
}

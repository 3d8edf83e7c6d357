/// What plainly keeps a photo from being read.
public enum PhotoFlaw: String, Codable, Sendable, CaseIterable {
  /// Hardly anything is brighter than black.
  case tooDark = "too_dark"
  /// It has so few pixels that it is probably a preview.
  case tooSmall = "too_small"
  /// No edge in it is sharp.
  case outOfFocus = "out_of_focus"
}

extension Reading {
  /// What people are told if no serial was found and nothing plainly explains that.
  public static let withoutSerial =
    "No serial number was found in the photo. Retake it closer, in focus and without glare."

  /// Why no serial was found, and what to do about it, for people.
  public var withoutSerial: String {
    switch flaw {
    case .tooDark: "No serial number was found: the photo is very dark. Retake it with more light."
    case .tooSmall:
      "No serial number was found: the photo has only \(photoSize.width) x \(photoSize.height) pixels. Send the original, "
        + "not a preview."
    case .outOfFocus:
      "No serial number was found: the photo seems to be out of focus. Retake it with the serial number in focus."
    case nil: Self.withoutSerial
    }
  }
}

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
  /// What people are told if no serial was found and nothing explains that.
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
    case nil: insteadOfSerial.flatMap(\.withoutSerial) ?? Self.withoutSerial
    }
  }

  /// What the most probable rejected read is instead of a device's serial: another manufacturer's, a part's, or a sample.
  /// Nil if a serial was found or a flaw explains that none was, and if nothing says so.
  public var insteadOfSerial: Doubt? {
    guard serials.isEmpty, flaw == nil else { return nil }
    return refused?.lazy.flatMap { $0.doubts ?? [] }.first { $0.withoutSerial != nil }
  }
}

extension Doubt {
  /// Why no serial was found and what to do about it, for people, if a rejected read has this doubt; nil for a doubt that
  /// a better photo may settle.
  fileprivate var withoutSerial: String? {
    switch self {
    case .otherMaker:
      "No serial number was found: what the photo shows looks like another manufacturer's device or serial number. If the "
        + "device is Apple's, retake the photo with only its label in view."
    case .part:
      "No serial number was found: the only one in the photo seems to be that of a part, such as a disk or a battery. "
        + "Retake the photo with the device's own label in view."
    case .placeholder:
      "No serial number was found: the photo shows a sample or a mask, not a device's serial number. Retake it with the "
        + "device's own label in view."
    default: nil
    }
  }
}

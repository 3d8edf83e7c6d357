import Foundation

// Properties have the API's field names in camel case; docs/api.md describes every field.

/// The type of surface that carries a serial.
public struct Preset: RawRepresentable, Hashable, Sendable, Codable {
  /// The preset's name.
  public var rawValue: String
  /// Creates a preset from its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Tiny grey text etched on metal or plastic.
  public static let etched = Preset(rawValue: "etched")
  /// A lit display.
  public static let screen = Preset(rawValue: "screen")
  /// Labels, boxes and stickers.
  public static let sticker = Preset(rawValue: "sticker")
}

/// A rectangle in an upright photo, in fractions of its width and height.
public struct Region: Sendable, Codable, Equatable {
  /// The left edge, 0 to 1.
  public var x0: Double
  /// The upper edge, 0 to 1.
  public var y0: Double
  /// The right edge, more than `x0`.
  public var x1: Double
  /// The lower edge, more than `y0`.
  public var y1: Double

  /// Creates a region.
  public init(x0: Double, y0: Double, x1: Double, y1: Double) {
    (self.x0, self.y0, self.x1, self.y1) = (x0, y0, x1, y1)
  }

  var text: String { [x0, y0, x1, y1].map { String($0) }.joined(separator: ",") }
}

/// The response to a stored photo.
public struct ScanResponse: Sendable, Codable, Equatable {
  /// The job's id.
  public var jobId: String
  /// The job's state.
  public var status: JobStatus
  /// The state, as text for people.
  public var message: String
  /// Position in the queue, 1 for the next; 0 if the job no longer waits.
  public var queuePosition: Int
  /// The estimated wait, as text for people.
  public var estimatedWaitTime: String
  /// The estimated wait in seconds; nil if unknown, or from servers before 1.2.
  public var estimatedWaitSeconds: Double?
  /// The path of the result.
  public var checkStatusUrl: String
}

/// A job's state.
public enum JobStatus: String, Sendable, Codable {
  /// Waiting in the queue.
  case queued
  /// Being read.
  case processing
  /// Ended with a serial.
  case completed
  /// Ended without a serial.
  case failed

  /// Whether the state is final.
  public var isEnd: Bool { self == .completed || self == .failed }
}

/// What plainly keeps a photo from being read.
public struct PhotoFlaw: RawRepresentable, Hashable, Sendable, Codable {
  /// The flaw's name.
  public var rawValue: String
  /// Creates a flaw from its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Hardly anything is brighter than black.
  public static let tooDark = PhotoFlaw(rawValue: "too_dark")
  /// It has so few pixels that it is probably a preview.
  public static let tooSmall = PhotoFlaw(rawValue: "too_small")
  /// No edge in it is sharp.
  public static let outOfFocus = PhotoFlaw(rawValue: "out_of_focus")
}

/// How reliable a result is.
public enum Verdict: String, Sendable, Codable {
  /// The serial is reliable.
  case accepted
  /// The serial needs review.
  case uncertain
  /// No serial was found.
  case refused
}

import Foundation

// Property names are the wire's in camel case; docs/api.md describes every field.

/// Where a serial stands and how it is printed.
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

/// A part of an upright photo, in fractions of its width and height.
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

/// The answer to a photo that was stored.
public struct ScanResponse: Sendable, Codable, Equatable {
  /// The job's id.
  public var jobId: String
  /// How the job stands.
  public var status: JobStatus
  /// The state, for a person.
  public var message: String
  /// 1 is next; 0 if the job no longer waits.
  public var queuePosition: Int
  /// The wait, for a person.
  public var estimatedWaitTime: String
  /// The wait in seconds; nil if unknown, or from servers before 1.2.
  public var estimatedWaitSeconds: Double?
  /// Where the result is.
  public var checkStatusUrl: String
}

/// A job's state.
public enum JobStatus: String, Sendable, Codable {
  /// It waits.
  case queued
  /// It is being read.
  case processing
  /// A serial was read.
  case completed
  /// No serial was read.
  case failed

  /// Whether the state is final.
  public var isEnd: Bool { self == .completed || self == .failed }
}

/// How far a result may be trusted.
public enum Verdict: String, Sendable, Codable {
  /// Right, as far as it can be known.
  case accepted
  /// A person should check it.
  case uncertain
  /// No serial was found.
  case refused
}

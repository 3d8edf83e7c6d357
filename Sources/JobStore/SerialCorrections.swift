import Foundation
import ScanModel

/// A person's changes to a saved serial; nil leaves a field unchanged.
public struct SerialChange: Sendable, Equatable {
  /// The serial, and whether its format is valid.
  public var serial: (text: String, isValid: Bool)?
  /// The device type; an empty text removes it.
  @DeviceTypeText public var deviceType: String?
  /// Notes for people; an empty text removes them.
  public var notes: String?

  /// Creates a change.
  public init(serial: (text: String, isValid: Bool)? = nil, deviceType: String? = nil, notes: String? = nil) {
    self.serial = serial
    self.deviceType = deviceType
    self.notes = notes
  }

  /// Whether both make the same changes.
  public static func == (one: SerialChange, other: SerialChange) -> Bool {
    one.serial?.text == other.serial?.text && one.serial?.isValid == other.serial?.isValid
      && one.deviceType == other.deviceType && one.notes == other.notes
  }
}

/// A saved serial's values before a person changed it.
public struct EarlierSerial: Sendable, Equatable {
  /// The kind of change.
  public enum Change: String, Codable, Sendable, CaseIterable {
    /// A person confirmed the serial of a job.
    case confirmed
    /// A person changed a saved serial.
    case changed
  }

  /// When it was changed.
  public var changedAt: Date
  /// The kind of change.
  public var change: Change
  /// The serial before.
  public var serial: String
  /// The device type before.
  public var deviceType: String?
  /// The notes before.
  public var notes: String?
  /// The confidence before, 0...1.
  public var confidence: Double
  /// The method that had read it.
  public var method: String?

  /// Creates a state.
  public init(
    changedAt: Date, change: Change, serial: String, deviceType: String?, notes: String?, confidence: Double,
    method: String?
  ) {
    self.changedAt = changedAt
    self.change = change
    self.serial = serial
    self.deviceType = deviceType
    self.notes = notes
    self.confidence = confidence
    self.method = method
  }
}

/// The result of a confirmation.
public enum Confirmation: Sendable, Equatable {
  /// The saved serial, and whether it differs from the confirmed read.
  case saved(SavedSerial, isCorrected: Bool)
  /// The photo has not been read yet.
  case notEnded
  /// The job does not have the serial to be replaced.
  case unknownSerial
}

/// The evidence for a serial stated by a person: the reader's if it read the same serial, otherwise the person's alone.
package struct PersonsProof: Sendable, Equatable {
  /// Whether it differs from the read.
  package var isCorrected: Bool
  /// Confidence, 0...1.
  package var confidence: Double
  /// The method that read it, or `person`.
  package var method: String?

  /// Compares a person's serial with the confirmed read, if there is one.
  package init(of serial: String, read: SerialRead?) {
    if let read, read.serial == serial {
      (isCorrected, confidence, method) = (false, read.confidence, read.method)
    } else {
      (isCorrected, confidence, method) = (true, 1, "person")
    }
  }
}

/// Saves people's corrections. Replaced values stay in the history as long as the serial exists.
public protocol SerialCorrecting: Sendable {
  /// Saves a person's statement of a job's serial, whatever was read, and counts its configuration code. Confirming again
  /// changes the same row.
  ///
  /// A serial that differs from the read is saved with the method `person` and confidence 1. Returns nil if the job
  /// does not exist.
  ///
  /// - Parameter replaced: The job's serial, read or saved, that this one replaces; nil for the top one.
  func confirm(job id: String, serial: String, replacing replaced: String?, isValid: Bool) async throws -> Confirmation?

  /// Saves a person's decision about a photo without a saved serial; nil removes the decision. A later confirmation
  /// removes it too. Returns nil if the job does not exist.
  func review(job id: String, as review: Review?) async throws -> ReviewResult?

  /// Changes a saved serial; returns nil if it does not exist.
  ///
  /// A new serial is saved with the method and confidence described for `confirm`, and its configuration code counted.
  func changeSerial(id: Int64, _ change: SerialChange) async throws -> SavedSerial?

  /// Deletes a saved serial with its history; returns nil if it does not exist. Clears the confirmation of its job.
  @discardableResult
  func deleteSerial(id: Int64) async throws -> SavedSerial?

  /// Lists a saved serial's earlier values, latest first; empty if the serial was deleted.
  func earlierStates(ofSerial id: Int64) async throws -> [EarlierSerial]
}

extension SerialCorrecting {
  /// Confirms the top serial.
  public func confirm(job id: String, serial: String, isValid: Bool) async throws -> Confirmation? {
    try await confirm(job: id, serial: serial, replacing: nil, isValid: isValid)
  }
}

extension Job {
  /// The read that a confirmation refers to: the replaced one, otherwise the top one; nil if there is none.
  package func confirmedRead(replacing replaced: String?) -> SerialRead? {
    guard let replaced else { return reading?.topSerial }
    return reading?.serials.first { $0.serial == replaced }
  }
}

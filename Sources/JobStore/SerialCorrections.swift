import Foundation
import ScanModel

/// What a person changes of a saved serial; nil leaves a field as it is.
public struct SerialChange: Sendable, Equatable {
  /// The serial, and whether it fits the grammar.
  public var serial: (text: String, isValid: Bool)?
  /// The device type; empty takes it away.
  public var deviceType: String?
  /// Sentences for a person; empty takes them away.
  public var notes: String?

  /// Creates a change.
  public init(serial: (text: String, isValid: Bool)? = nil, deviceType: String? = nil, notes: String? = nil) {
    self.serial = serial
    self.deviceType = deviceType
    self.notes = notes
  }

  /// Whether both change the same.
  public static func == (one: SerialChange, other: SerialChange) -> Bool {
    one.serial?.text == other.serial?.text && one.serial?.isValid == other.serial?.isValid
      && one.deviceType == other.deviceType && one.notes == other.notes
  }
}

/// What stood in a saved serial before a person changed it.
public struct EarlierSerial: Sendable, Equatable {
  /// What a person did.
  public enum Change: String, Codable, Sendable, CaseIterable {
    /// Said what the serial of a job is.
    case confirmed
    /// Changed a saved serial.
    case changed
  }

  /// When it was changed.
  public var changedAt: Date
  /// What a person did.
  public var change: Change
  /// The serial before.
  public var serial: String
  /// The device type before.
  public var deviceType: String?
  /// The notes before.
  public var notes: String?
  /// The confidence before, 0...1.
  public var confidence: Double
  /// What had read it.
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

/// What came of a confirmation.
public enum Confirmation: Sendable, Equatable {
  /// The serial as it is saved now, and whether it differs from the read that it confirms.
  case saved(SavedSerial, isCorrected: Bool)
  /// The photo is not read yet.
  case notEnded
  /// The job has no serial that is to be replaced.
  case unknownSerial
}

/// What stands behind a serial that a person says: the reader's own proof where it read the same, else the person alone.
package struct PersonsProof: Sendable, Equatable {
  /// Whether it differs from the read.
  package var isCorrected: Bool
  /// 0...1.
  package var confidence: Double
  /// What read it, or `person`.
  package var method: String?

  /// Compares what a person says with the read that it confirms, if there is one.
  package init(of serial: String, read: SerialRead?) {
    if let read, read.serial == serial {
      (isCorrected, confidence, method) = (false, read.confidence, read.method)
    } else {
      (isCorrected, confidence, method) = (true, 1, "person")
    }
  }
}

/// What people say of reads. What is replaced stays in the history for as long as the serial does.
public protocol SerialCorrecting: Sendable {
  /// Saves what a person says a serial of a job is, whatever was read: a second confirmation changes the row. A serial that differs from the
  /// read is saved with the method `person` and confidence 1. Nil where there is no such job.
  ///
  /// - Parameter replaced: The serial of the job, read or saved, that this one takes the place of; nil for the top one.
  func confirm(job id: String, serial: String, replacing replaced: String?, isValid: Bool) async throws -> Confirmation?

  /// Changes a saved serial; nil where there is none. Another serial is saved with the method and confidence that
  /// `confirm` gives it.
  func changeSerial(id: Int64, _ change: SerialChange) async throws -> SavedSerial?

  /// Takes a saved serial away with its history; nil where there is none. Its job is no longer confirmed as that.
  @discardableResult
  func deleteSerial(id: Int64) async throws -> SavedSerial?

  /// What stood in a saved serial before, latest first; nothing of one that is gone.
  func earlierStates(ofSerial id: Int64) async throws -> [EarlierSerial]
}

extension SerialCorrecting {
  /// The same for the top serial.
  public func confirm(job id: String, serial: String, isValid: Bool) async throws -> Confirmation? {
    try await confirm(job: id, serial: serial, replacing: nil, isValid: isValid)
  }
}

extension Job {
  /// The read that a confirmation is of: the one that is replaced, else the top one; nil where there is none.
  package func confirmedRead(replacing replaced: String?) -> SerialRead? {
    guard let replaced else { return reading?.topSerial }
    return reading?.serials.first { $0.serial == replaced }
  }
}

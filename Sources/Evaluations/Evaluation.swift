import Foundation
import ScanModel

/// The results of reading a labelled folder, picture by picture.
public struct Evaluation: Sendable, Equatable {
  /// The outcome of reading one labelled picture.
  public enum Outcome: String, Codable, Sendable, CaseIterable {
    /// The top serial equals the label.
    case right
    /// A serial was returned that differs from the label.
    case misread
    /// No serial was returned, but the label has one.
    case silent
    /// No serial was returned, and the label has none (a true negative).
    case rightlySilent = "rightly_silent"
    /// The picture is missing or could not be read.
    case unreadable
  }

  /// The result of one picture.
  public struct Row: Sendable, Equatable {
    /// The folder relative to the evaluated one; empty for the evaluated folder itself.
    public var folder: String
    /// The picture's file name.
    public var filename: String
    /// The serial of the label.
    public var expected: String
    /// The top serial, if any.
    public var predicted: String?
    /// The top serial's confidence, 0...1.
    public var confidence: Double?
    /// Whether the top serial was accepted.
    public var isAccepted: Bool
    /// Whether the top serial has a valid format; false without one.
    public var isValid: Bool
    /// The outcome.
    public var outcome: Outcome
    /// The method that read the serial.
    public var method: String?
    /// The strategy that read the serial, or the last that ran.
    public var strategy: String?
    /// The preset that was used.
    public var preset: Preset?
    /// Wall time in seconds.
    public var seconds: Double
    /// CPU time in seconds.
    public var cpuSeconds: Double
    /// Why the picture could not be read.
    public var error: String?

    /// Compares a reading with its label.
    public init(folder: String, label: LabelsFile.Label, result: Result<Reading, ReadFailure>) {
      self.folder = folder
      filename = label.filename
      expected = label.serial
      isAccepted = false
      isValid = false
      seconds = 0
      cpuSeconds = 0
      switch result {
      case .failure(let failure):
        outcome = .unreadable
        error = failure.detail
      case .success(let reading):
        let top = reading.topSerial
        predicted = top?.serial
        confidence = top?.confidence
        isAccepted = top != nil && reading.verdict == .accepted
        isValid = top?.isValid ?? false
        method = top?.method
        strategy = reading.strategyUsed
        preset = reading.preset
        seconds = reading.processingTime
        cpuSeconds = reading.cpuTime
        if let top {
          outcome = top.serial == label.serial ? .right : .misread
        } else {
          outcome = label.serial.isEmpty ? .rightlySilent : .silent
        }
      }
    }
  }

  /// The pictures, in the order of folders and labels.
  public var rows: [Row]
  /// The warnings about the labels.
  public var warnings: [LabelWarning]

  /// Creates an evaluation.
  public init(rows: [Row], warnings: [LabelWarning] = []) {
    (self.rows, self.warnings) = (rows, warnings)
  }

  /// The folders, in order.
  public var folders: [String] {
    var seen: Set<String> = []
    return rows.map(\.folder).filter { seen.insert($0).inserted }
  }
}

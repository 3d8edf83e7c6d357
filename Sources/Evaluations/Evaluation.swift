import Foundation
import ScanModel

/// What became of the pictures of a labelled folder, picture by picture and in sum.
public struct Evaluation: Sendable, Equatable {
  /// What reading one labelled picture came to.
  public enum Outcome: String, Codable, Sendable, CaseIterable {
    /// The top serial equals the label.
    case right
    /// A serial was given, and it is not the label.
    case misread
    /// No serial was given where there is one.
    case silent
    /// No serial was given, and there is none.
    case rightlySilent = "rightly_silent"
    /// The picture is not there, or could not be read at all.
    case unreadable
  }

  /// One picture.
  public struct Row: Sendable, Equatable {
    /// The folder, relative to the evaluated one; empty for itself.
    public var folder: String
    /// The picture's file name.
    public var filename: String
    /// The label.
    public var expected: String
    /// The top serial, if any.
    public var predicted: String?
    /// Its confidence, 0...1.
    public var confidence: Double?
    /// Whether it was accepted.
    public var isAccepted: Bool
    /// Whether it fits the grammar.
    public var isValid: Bool
    /// What it came to.
    public var outcome: Outcome
    /// What read it.
    public var method: String?
    /// The strategy that read it, or the last that ran.
    public var strategy: String?
    /// The preset that was used.
    public var preset: Preset?
    /// Wall time in seconds.
    public var seconds: Double
    /// CPU time in seconds.
    public var cpuSeconds: Double
    /// Why it could not be read at all.
    public var error: String?

    /// Judges a reading against a label.
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
  /// What stands out in the labels.
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

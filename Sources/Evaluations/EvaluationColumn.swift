import Exports
import Foundation
import ScanModel
import Support

/// The columns of an evaluation in order, for CSV, JSON and HTTP alike.
enum EvaluationColumn: String, CodingKey, CaseIterable {
  case folder
  case filename
  case expected
  case predicted
  case confidence
  case isHit = "is_hit"
  case isAccepted = "is_accepted"
  case isValid = "is_valid"
  case outcome
  case method
  case strategy
  case preset
  case seconds
  case cpuSeconds = "cpu_seconds"
  case error

  /// Returns the CSV cell of a row.
  func text(of row: Evaluation.Row) -> String {
    switch self {
    case .folder: printable(row.folder)
    case .filename: printable(row.filename)
    case .expected: printable(row.expected)
    case .predicted: row.predicted ?? ""
    case .confidence: row.confidence.map { String(format: "%.3f", Confidence.displayed($0)) } ?? ""
    case .isHit: "\(row.isHit)"
    case .isAccepted: "\(row.isAccepted)"
    case .isValid: row.predicted == nil ? "" : "\(row.isValid)"
    case .outcome: row.outcome.rawValue
    case .method: row.method ?? ""
    case .strategy: row.strategy ?? ""
    case .preset: row.preset?.rawValue ?? ""
    case .seconds: String(format: "%.4f", row.seconds)
    case .cpuSeconds: String(format: "%.4f", row.cpuSeconds)
    case .error: row.error ?? ""
    }
  }
}

extension Evaluation.Row: Encodable {
  /// Whether the top serial equals the label.
  public var isHit: Bool { outcome == .right }

  /// Encodes every column, with null for missing values, because clients decode strictly.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: EvaluationColumn.self)
    for column in EvaluationColumn.allCases {
      switch column {
      case .folder: try container.encode(folder, forKey: column)
      case .filename: try container.encode(filename, forKey: column)
      case .expected: try container.encode(expected, forKey: column)
      case .predicted: try container.encode(predicted, forKey: column)
      case .confidence: try container.encode(confidence.map(Confidence.displayed), forKey: column)
      case .isHit: try container.encode(isHit, forKey: column)
      case .isAccepted: try container.encode(isAccepted, forKey: column)
      case .isValid: try container.encode(isValid, forKey: column)
      case .outcome: try container.encode(outcome, forKey: column)
      case .method: try container.encode(method, forKey: column)
      case .strategy: try container.encode(strategy, forKey: column)
      case .preset: try container.encode(preset, forKey: column)
      case .seconds: try container.encode(seconds.rounded(toPlaces: 4), forKey: column)
      case .cpuSeconds: try container.encode(cpuSeconds.rounded(toPlaces: 4), forKey: column)
      case .error: try container.encode(error, forKey: column)
      }
    }
  }
}

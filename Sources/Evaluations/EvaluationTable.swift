import Exports
import Foundation
import ScanModel

/// A table for comparing two versions of the reader: one row per picture, and one for each candidate that a strategy
/// found in it.
public struct EvaluationTable: Sendable {
  /// A serial that one strategy found in a picture.
  public struct Candidate: Sendable, Equatable {
    /// The serial.
    public var serial: String
    /// The probability, 0...1, before other strategies and later checks change it.
    public var confidence: Double
    /// The method that read it.
    public var method: String
    /// The strategy that found it.
    public var strategy: String
    /// The features that the probability was computed from, by name; empty for a code.
    public var features: [String: Double]

    /// Creates a candidate.
    public init(serial: String, confidence: Double, method: String, strategy: String, features: [String: Double]) {
      self.serial = serial
      self.confidence = confidence
      self.method = method
      self.strategy = strategy
      self.features = features
    }
  }

  private let rows: [(picture: Evaluation.Row, candidates: [Candidate])]

  /// Creates a table.
  ///
  /// - Parameter candidates: The candidates of each row, in the rows' order.
  public init(_ evaluation: Evaluation, candidates: [[Candidate]]) {
    rows = evaluation.rows.enumerated().map { ($1, candidates.indices.contains($0) ? candidates[$0] : []) }
  }

  /// Writes the table as CSV (RFC 4180, UTF-8).
  public func write(to url: URL) throws { try csv().write(to: url, options: .atomic) }

  /// Returns the table as CSV. The column `row` is `picture` or `candidate`. Then come the columns of an evaluation, of
  /// which a candidate fills those it knows, and the features in alphabetical order.
  public func csv() -> Data {
    let names = Set(rows.flatMap { $0.candidates.flatMap { $0.features.keys } }).sorted()
    var text = DelimitedText.line(["row"] + EvaluationColumn.allCases.map(\.rawValue) + names)
    for (picture, candidates) in rows {
      let cells = EvaluationColumn.allCases.map { $0.text(of: picture) }
      text += Self.line(["picture"] + cells + names.map { _ in "" })
      for candidate in candidates {
        let cells = EvaluationColumn.allCases.map { Self.cell($0, of: candidate, in: picture) }
        text += Self.line(["candidate"] + cells + names.map { Self.number(candidate.features[$0]) })
      }
    }
    return Data(text.utf8)
  }

  /// Returns a line of cells. Numbers stay unchanged: an apostrophe before a minus would turn them into text.
  private static func line(_ cells: [String]) -> String {
    DelimitedText.line(cells.map { Double($0) == nil ? DelimitedText.harmless($0) : $0 })
  }

  private static func cell(_ column: EvaluationColumn, of candidate: Candidate, in picture: Evaluation.Row) -> String {
    switch column {
    case .folder, .filename, .expected: column.text(of: picture)
    case .predicted: candidate.serial
    case .confidence: number(candidate.confidence)
    case .isHit: "\(candidate.serial == picture.expected)"
    case .method: candidate.method
    case .strategy: candidate.strategy
    case .isAccepted, .isValid, .outcome, .preset, .seconds, .cpuSeconds, .error: ""
    }
  }

  private static func number(_ value: Double?) -> String { value.map { String(format: "%.4f", $0) } ?? "" }
}

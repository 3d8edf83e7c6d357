import Exports
import Foundation
import ScanModel

/// A table for comparing two versions of the reader and fitting its confidence: one row per picture, one for each
/// candidate that a strategy found in it, and one for each serial that was judged.
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

  /// What was found in a picture on the way to its result.
  public struct Findings: Sendable, Equatable {
    /// The candidates of each strategy.
    public var candidates: [Candidate]
    /// The serials with their final confidence. `method` is empty, and `features` holds all of its terms.
    public var serials: [Candidate]

    /// Creates findings.
    public init(candidates: [Candidate] = [], serials: [Candidate] = []) {
      (self.candidates, self.serials) = (candidates, serials)
    }
  }

  private let rows: [(picture: Evaluation.Row, findings: Findings)]

  /// Creates a table.
  ///
  /// - Parameter findings: The findings of each row, in the rows' order.
  public init(_ evaluation: Evaluation, findings: [Findings]) {
    rows = evaluation.rows.enumerated().map { ($1, findings.indices.contains($0) ? findings[$0] : Findings()) }
  }

  /// Writes the table as CSV (RFC 4180, UTF-8).
  public func write(to url: URL) throws { try csv().write(to: url, options: .atomic) }

  /// Returns the table as CSV. The column `row` is `picture`, `candidate` or `serial`. Then come the columns of an
  /// evaluation, of which the others fill those they know, and the features in alphabetical order.
  public func csv() -> Data {
    let found = rows.flatMap { $0.findings.candidates + $0.findings.serials }
    let names = Set(found.flatMap { $0.features.keys }).sorted()
    var text = DelimitedText.line(["row"] + EvaluationColumn.allCases.map(\.rawValue) + names)
    for (picture, findings) in rows {
      let cells = EvaluationColumn.allCases.map { $0.text(of: picture) }
      text += Self.line(["picture"] + cells + names.map { _ in "" })
      let all = findings.candidates.map { ("candidate", $0) } + findings.serials.map { ("serial", $0) }
      for (row, candidate) in all {
        let cells = EvaluationColumn.allCases.map { Self.cell($0, of: candidate, in: picture) }
        text += Self.line([row] + cells + names.map { Self.number(candidate.features[$0]) })
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

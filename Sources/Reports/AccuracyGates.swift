import Foundation
import SwiftCSV

/// What each folder of a corpus must reach: a least number of right reads AND a most number of misreads, in the manner
/// of zxing-cpp's black-box tests.
public struct AccuracyGates: Sendable, Equatable {
  /// One folder's gate.
  public struct Gate: Sendable, Equatable {
    /// The folder's name.
    public var folder: String
    /// Pictures whose top serial must be right, at least.
    public var leastRight: Int
    /// Pictures with a wrong serial at any confidence, at most.
    public var mostMisreads: Int
    /// Pictures with a wrong serial that was accepted, at most.
    public var mostAcceptedMisreads: Int
  }

  /// The gates, in the file's order.
  public var gates: [Gate]

  /// Takes a CSV with the header `folder,least_right,most_misreads,most_accepted_misreads`; lines that begin with `#`
  /// are comments.
  public init(csv text: String) throws {
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }.joined(separator: "\n")
    gates = try NamedCSV(string: lines, delimiter: .comma, loadColumns: false).rows.map { row in
      func number(_ name: String) throws -> Int {
        guard let number = row[name].flatMap({ Int($0) }) else {
          throw CSVParseError.generic(message: "no number in \(name)")
        }
        return number
      }
      return Gate(
        folder: row["folder"] ?? "", leastRight: try number("least_right"),
        mostMisreads: try number("most_misreads"), mostAcceptedMisreads: try number("most_accepted_misreads"))
    }
  }

  /// A sentence for each gate that is not met; empty where all are.
  public func failures(of evaluation: Evaluation) -> [String] {
    gates.flatMap { gate -> [String] in
      let rows = evaluation.rows.filter { $0.folder == gate.folder }
      guard !rows.isEmpty else { return ["\(gate.folder): there are no pictures"] }
      let summary = EvaluationSummary(rows)
      let accepted = summary.highConfidenceCount - summary.highConfidenceHits
      var failures: [String] = []
      if summary.hits < gate.leastRight {
        failures.append("\(gate.folder): \(summary.hits) right, at least \(gate.leastRight) wanted")
      }
      if summary.misreads > gate.mostMisreads {
        failures.append("\(gate.folder): \(summary.misreads) misread, at most \(gate.mostMisreads) allowed")
      }
      if accepted > gate.mostAcceptedMisreads {
        failures.append(
          "\(gate.folder): \(accepted) misread and accepted, at most \(gate.mostAcceptedMisreads) allowed")
      }
      return failures
    }
  }
}

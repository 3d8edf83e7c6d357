import Foundation

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

  /// Why a file of gates is refused.
  public struct Problem: Error, CustomStringConvertible {
    /// A sentence with the line.
    public let description: String
  }

  private static let header = ["folder", "least_right", "most_misreads", "most_accepted_misreads"]

  /// Takes a CSV with the header `folder,least_right,most_misreads,most_accepted_misreads`; lines that begin with `#`
  /// are comments. Throws `Problem`.
  public init(csv text: String) throws(Problem) {
    var rows: [DelimitedRows.Row]
    do throws(DelimitedRows.Problem) {
      rows = try DelimitedRows(
        text.utf8, delimiter: UInt8(ascii: ","), mostCells: 100, mostCellsInAll: 10_000
      ).rows
    } catch {
      throw Problem(
        description: "The file of gates is not a CSV with the columns \(Self.header.joined(separator: ",")).")
    }
    rows.removeAll { $0.cells.first?.hasPrefix("#") == true }
    guard rows.first?.cells == Self.header else {
      throw Problem(description: "The file of gates must begin with \(Self.header.joined(separator: ",")).")
    }
    gates = try rows.dropFirst().map { (row) throws(Problem) in try Gate(row) }
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

extension AccuracyGates.Gate {
  fileprivate init(_ row: DelimitedRows.Row) throws(AccuracyGates.Problem) {
    let numbers = row.cells.dropFirst().compactMap { Int($0) }
    guard let folder = row.cells.first, numbers.count == 3, row.cells.count == 4 else {
      throw AccuracyGates.Problem(
        description: "Line \(row.line) of the file of gates must have a folder and three whole numbers.")
    }
    self.init(folder: folder, leastRight: numbers[0], mostMisreads: numbers[1], mostAcceptedMisreads: numbers[2])
  }
}

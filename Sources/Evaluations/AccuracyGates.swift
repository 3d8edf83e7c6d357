import Exports

/// The accuracy that each folder of a corpus must reach: a minimum number of correct reads and a maximum number of
/// misreads, like zxing-cpp's black-box tests.
public struct AccuracyGates: Sendable, Equatable {
  /// The gate of one folder.
  public struct Gate: Sendable, Equatable {
    /// The folder's name; empty for the evaluated folder itself.
    public var folder: String
    /// The minimum number of pictures whose top serial is correct.
    public var leastRight: Int
    /// The maximum number of pictures with a wrong serial, at any confidence.
    public var mostMisreads: Int
    /// The maximum number of pictures with a wrong serial that was accepted.
    public var mostAcceptedMisreads: Int
  }

  /// The gates, in the file's order.
  public var gates: [Gate]

  /// A syntax error in a gates file.
  public struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
    /// The line, counted from 1.
    public var line: Int
    /// What was expected there.
    public var expected: String

    /// A clause for messages.
    public var description: String { "line \(line): \(expected)" }
  }

  /// Parses a CSV with the header `folder,least_right,most_misreads,most_accepted_misreads`; lines that begin with `#`
  /// are comments. The evaluated folder itself is `.`, as in the table of an evaluation, or empty.
  public init(csv text: String) throws(Problem) {
    var rows = try Self.rows(text)[...]
    guard let header = rows.popFirst() else { throw Problem(line: 1, expected: "a header is missing") }
    let columns = header.cells.map { $0.lowercased() }
    func column(_ name: String) throws(Problem) -> Int {
      guard let index = columns.firstIndex(of: name) else {
        throw Problem(line: header.line, expected: "the header has no column \(name)")
      }
      return index
    }
    let (folder, right) = (try column("folder"), try column("least_right"))
    let (misreads, accepted) = (try column("most_misreads"), try column("most_accepted_misreads"))
    gates = []
    for row in rows {
      func number(_ index: Int) throws(Problem) -> Int {
        guard row.cells.indices.contains(index), let number = Int(row.cells[index]), number >= 0 else {
          throw Problem(line: row.line, expected: "\(columns[index]) must be a whole number of pictures")
        }
        return number
      }
      let name = row.cells.indices.contains(folder) ? row.cells[folder] : ""
      gates.append(
        Gate(
          folder: name == "." ? "" : name, leastRight: try number(right),
          mostMisreads: try number(misreads), mostAcceptedMisreads: try number(accepted)))
    }
  }

  private static func rows(_ text: String) throws(Problem) -> [DelimitedRows.Row] {
    do throws(DelimitedRows.Problem) {
      return try DelimitedRows(text.utf8, delimiter: UInt8(ascii: ","), mostCells: 64, mostCellsInAll: 100_000).rows
        .filter { !($0.cells.first?.utf8.first == UInt8(ascii: "#")) }
    } catch {
      switch error {
      case .tooManyCells(let line, let limit): throw Problem(line: line, expected: "it has more than \(limit) cells")
      case .tooManyCellsInAll(let limit): throw Problem(line: 1, expected: "the file has more than \(limit) cells")
      case .unclosedQuote(let line): throw Problem(line: line, expected: "the quote that opens here never closes")
      }
    }
  }

  /// Returns a sentence for each gate that is not met; an empty array if all are met.
  public func failures(of evaluation: Evaluation) -> [String] {
    gates.flatMap { gate -> [String] in
      let rows = evaluation.rows.filter { $0.folder == gate.folder }
      let name = Evaluation.displayed(folder: gate.folder)
      guard !rows.isEmpty else { return ["\(name): there are no pictures"] }
      let summary = EvaluationSummary(rows)
      let accepted = summary.highConfidenceCount - summary.highConfidenceHits
      var failures: [String] = []
      if summary.hits < gate.leastRight {
        failures.append("\(name): \(summary.hits) correct, at least \(gate.leastRight) required")
      }
      if summary.misreads > gate.mostMisreads {
        failures.append("\(name): \(summary.misreads) wrong, at most \(gate.mostMisreads) allowed")
      }
      if accepted > gate.mostAcceptedMisreads {
        failures.append(
          "\(name): \(accepted) wrong and accepted, at most \(gate.mostAcceptedMisreads) allowed")
      }
      return failures
    }
  }
}

import Exports
import Foundation
import ScanModel
import Support

extension Evaluation {
  /// Returns a folder's name for messages: `.` for the evaluated folder itself.
  static func displayed(folder: String) -> String { folder.isEmpty ? "." : printable(folder) }

  /// A table for the terminal: one row per folder, and all figures with their definitions.
  public var table: String {
    let widths = [28, 7, 10, 7, 10, 8, 16, 12, 10, 15, 13]
    func line(_ cells: [String]) -> String {
      zip(cells, widths).enumerated().map { index, cell in
        let pad = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
        return index == 0 ? cell.0 + pad : pad + cell.0
      }.joined()
    }
    func row(_ name: String, _ rows: [Row]) -> String {
      let summary = EvaluationSummary(rows)
      let counts = [
        summary.total, summary.detected, summary.hits, summary.misreads, summary.silent, summary.rightlySilent,
        summary.unreadable, summary.highConfidenceCount, summary.highConfidenceHits,
      ]
      return line([name] + counts.map { "\($0)" } + [String(format: "%.3f s", summary.medianCPUSeconds)])
    }
    let header = line([
      "folder", "total", "detected", "hits", "misreads", "silent", "rightly silent", "unreadable", "accepted",
      "accepted hits", "median CPU",
    ])
    let all = folders.count > 1 ? [row("all", rows)] : []
    let byFolder = folders.map { folder in
      row(Self.displayed(folder: folder), rows.filter { $0.folder == folder })
    }
    let warnings = warnings.map {
      "warning: \(printable($0.detail))" + ($0.count > 1 ? " (and \($0.count - 1) more)" : "")
    }
    return ([header] + byFolder + all + [""] + EvaluationSummary(rows).lines + warnings).joined(separator: "\n")
  }

  /// One line for each picture that was misread, missed or unreadable.
  public var failures: [String] {
    rows.compactMap { row in
      let name = printable(row.folder.isEmpty ? row.filename : "\(row.folder)/\(row.filename)")
      switch row.outcome {
      case .right, .rightlySilent: return nil
      case .misread:
        let told = String(format: "%.3f", Confidence.displayed(row.confidence ?? 0))
        let label = row.expected.isEmpty ? "no serial" : printable(row.expected)
        return "wrong       \(name): expected \(label), read \(row.predicted ?? "-") (\(told))"
      case .silent: return "missed      \(name): expected \(printable(row.expected))"
      case .unreadable: return "unreadable  \(name): \(printable(row.error ?? ""))"
      }
    }
  }

  /// Writes the rows as CSV (RFC 4180, UTF-8).
  public func writeCSV(to url: URL) throws { try csv().write(to: url, options: .atomic) }

  /// Returns the rows as CSV.
  public func csv() -> Data {
    var text = DelimitedText.line(EvaluationColumn.allCases.map(\.rawValue))
    for row in rows {
      text += DelimitedText.line(EvaluationColumn.allCases.map { DelimitedText.harmless($0.text(of: row)) })
    }
    return Data(text.utf8)
  }

  /// Writes summary, reliability diagram and rows as JSON.
  public func writeJSON(to url: URL) throws { try json().write(to: url, options: .atomic) }

  /// Returns summary, reliability diagram and rows as JSON.
  public func json() throws -> Data {
    struct File: Encodable {
      var summary: EvaluationSummary
      var definitions: [String: String]
      var folders: [String: EvaluationSummary]
      var reliability: ReliabilityDiagram
      var rows: [Row]
      var warnings: [LabelWarning]
    }
    let byFolder = Dictionary(grouping: rows, by: \.folder).mapValues { EvaluationSummary($0) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let file = File(
      summary: EvaluationSummary(rows), definitions: EvaluationSummary.definitions, folders: byFolder,
      reliability: ReliabilityDiagram(rows), rows: rows, warnings: warnings)
    return try encoder.encode(file)
  }
}

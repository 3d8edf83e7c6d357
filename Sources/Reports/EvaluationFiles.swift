import Foundation

extension Evaluation {
  /// A table for people: right, misread and silent by folder, what was accepted, and the time.
  public var table: String {
    let widths = [28, 7, 7, 9, 8, 10, 10, 13, 9]
    func line(_ cells: [String]) -> String {
      zip(cells, widths).enumerated().map { index, cell in
        let pad = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
        return index == 0 ? cell.0 + pad : pad + cell.0
      }.joined()
    }
    func row(_ name: String, _ rows: [Row]) -> String {
      let summary = EvaluationSummary(rows)
      let silence = rows.filter { $0.outcome == .rightlySilent }.count
      return line([
        name, "\(summary.total)", "\(summary.hits)", "\(summary.misreads)", "\(summary.silent)", "\(silence)",
        "\(summary.highConfidenceCount)", "\(summary.highConfidenceCount - summary.highConfidenceHits)",
        String(format: "%.3f s", summary.medianCPUSeconds),
      ])
    }
    var lines = [
      line(["folder", "total", "right", "misread", "silent", "no serial", "accepted", "accepted bad", "CPU"])
    ]
    for folder in folders { lines.append(row(folder.isEmpty ? "." : folder, rows.filter { $0.folder == folder })) }
    if folders.count > 1 { lines.append(row("all", rows)) }
    let summary = EvaluationSummary(rows)
    lines.append(
      String(
        format: "expected calibration error %.3f, unreadable %d", summary.expectedCalibrationError, summary.unreadable))
    return lines.joined(separator: "\n")
  }

  /// A line for each picture that was misread, silent or unreadable, for people.
  public var failures: [String] {
    rows.compactMap { row in
      let name = row.folder.isEmpty ? row.filename : "\(row.folder)/\(row.filename)"
      switch row.outcome {
      case .right, .rightlySilent: return nil
      case .misread:
        // Rounded down: what lies below a threshold never looks as if it were at it.
        let told = String(format: "%.3f", ((row.confidence ?? 0) * 1000).rounded(.down) / 1000)
        return
          "misread     \(name): is \(row.expected.isEmpty ? "none" : row.expected), read as \(row.predicted ?? "-") (\(told))"
      case .silent: return "silent      \(name): is \(row.expected)"
      case .unreadable: return "unreadable  \(name): \(row.error ?? "")"
      }
    }
  }

  /// Writes the rows as CSV (RFC 4180, UTF-8).
  public func writeCSV(to url: URL) throws { try csv().write(to: url, options: .atomic) }

  /// The rows as CSV.
  public func csv() -> Data {
    var text =
      "folder,filename,expected,predicted,confidence,accepted,valid,outcome,method,strategy,preset,seconds,cpu_seconds,error\r\n"
    for row in rows {
      let cells = [
        row.folder, row.filename, row.expected, row.predicted ?? "",
        row.confidence.map { String(format: "%.4f", $0) } ?? "",
        "\(row.isAccepted)", "\(row.isValid)", row.outcome.rawValue, row.method ?? "", row.strategy ?? "",
        row.preset?.rawValue ?? "", String(format: "%.4f", row.seconds), String(format: "%.4f", row.cpuSeconds),
        row.error ?? "",
      ]
      text += DelimitedText.line(cells.map(DelimitedText.harmless))
    }
    return Data(text.utf8)
  }

  /// Writes summary, reliability diagram and rows as JSON.
  public func writeJSON(to url: URL) throws { try json().write(to: url, options: .atomic) }

  /// Summary, reliability diagram and rows as JSON.
  public func json() throws -> Data {
    struct File: Encodable {
      var summary: EvaluationSummary
      var folders: [String: EvaluationSummary]
      var reliability: ReliabilityDiagram
      var rows: [Row]
    }
    let byFolder = Dictionary(grouping: rows, by: \.folder).mapValues { EvaluationSummary($0) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let file = File(
      summary: EvaluationSummary(rows), folders: byFolder, reliability: ReliabilityDiagram(rows), rows: rows)
    return try encoder.encode(file)
  }
}

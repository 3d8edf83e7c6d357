import Evaluations
import Exports
import Foundation
import ScanModel
import Testing

/// Comparing readings with labels, and the resulting figures.
@Suite struct EvaluationTests {
  static func reading(_ serial: String?, confidence: Double = 0.95) -> Reading {
    let serials = serial.map {
      [SerialRead(serial: $0, confidence: confidence, method: "tesseract", strategy: "text", isValid: true)]
    }
    return Reading(
      verdict: serial == nil ? .refused : confidence >= 0.9 ? .accepted : .uncertain, serials: serials ?? [],
      preset: .etched, presetWasDetected: true, strategyUsed: "text", fallbackUsed: false, trace: [], notes: [],
      photoSize: PixelSize(width: 1, height: 1), processingTime: 0.1, cpuTime: 0.1)
  }

  static func row(_ label: String, _ reading: Reading) throws -> Evaluation.Row {
    let file = try LabelsFile(text: "filename,serial\na.jpg,\(label)\n", folder: "x")
    return Evaluation.Row(folder: "", label: try #require(file.labels.first), result: .success(reading))
  }

  @Test func escapesControlCharactersInNames() throws {
    let name = "a\u{1B}[31m\nb\u{202E}.jpg"
    let file = try LabelsFile(text: "filename,serial\n\"\(name)\",C02ZK1ABMD6N\n", folder: "x")
    let row = Evaluation.Row(
      folder: "in\u{9B}", label: try #require(file.labels.first), result: .success(Self.reading(nil)))
    let evaluation = Evaluation(rows: [row])
    let csv = String(decoding: evaluation.csv(), as: UTF8.self)
    for text in evaluation.failures + [evaluation.table, csv] {
      #expect(!text.unicodeScalars.contains { "\u{1B}\u{9B}\u{202E}".unicodeScalars.contains($0) }, "\(text)")
    }
    #expect(evaluation.failures == [#"missed      in\u{9B}/a\u{1B}[31m\nb\u{202E}.jpg: expected C02ZK1ABMD6N"#])
    #expect(csv.contains(#"in\u{9B},a\u{1B}[31m\nb\u{202E}.jpg,"#))
  }

  @Test func classifiesOutcomes() throws {
    #expect(try Self.row("C02ZK1ABMD6N", Self.reading("C02ZK1ABMD6N")).outcome == .right)
    #expect(try Self.row("C02ZK1ABMD6N", Self.reading("C02ZK1ABMD6M")).outcome == .misread)
    #expect(try Self.row("", Self.reading("C02ZK1ABMD6M")).outcome == .misread)
    #expect(try Self.row("C02ZK1ABMD6N", Self.reading(nil)).outcome == .silent)
    #expect(try Self.row("", Self.reading(nil)).outcome == .rightlySilent)
  }

  /// Whoever filters a table for invalid formats does not want the pictures without a serial.
  @Test func tellsNoSerialFromInvalidFormat() throws {
    var invalid = try Self.row("C02ZK1ABMD6N", Self.reading("C02ZK1ABMD6M"))
    invalid.isValid = false
    let rows = [invalid, try Self.row("C02ZK1ABMD6N", Self.reading(nil)), try Self.row("", Self.reading(nil))]
    let lines = String(decoding: Evaluation(rows: rows).csv(), as: UTF8.self).split(separator: "\r\n")
      .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    let column = try #require(lines.first?.firstIndex(of: "is_valid"))
    #expect(lines.dropFirst().map { $0[column] } == ["false", "", ""])
  }

  @Test func computesFigures() throws {
    let rows = [
      try Self.row("C02ZK1ABMD6N", Self.reading("C02ZK1ABMD6N")),
      try Self.row("C02ZK1ABMD6N", Self.reading("C02ZK1ABMD6M", confidence: 0.4567)),
      try Self.row("C02ZK1ABMD6N", Self.reading(nil)),
      try Self.row("", Self.reading(nil)),
    ]
    let summary = EvaluationSummary(rows)
    #expect(summary.total == 4)
    #expect(summary.detected == 2)
    #expect(summary.hits == 1)
    #expect(summary.misreads == 1)
    #expect(summary.silent == 1 && summary.rightlySilent == 1 && summary.unreadable == 0)
    #expect(summary.accuracyPctOverall == 50)
    #expect(summary.accuracyPctOnDetected == 50)
    #expect(summary.highConfidenceCount == 1)
    #expect(summary.highConfidenceAccuracyPct == 100)
    // Two reads: |0.95 - 1| and |0.4567 - 0|, with equal weight, rounded.
    #expect(summary.expectedCalibrationError == 0.253)
  }

  @Test func medianOfEvenNumberIsBetweenMiddleValues() throws {
    let medians: [(seconds: [Double], median: Double)] = [([], 0), ([3], 3), ([1, 4], 2.5), ([9, 1, 4], 4)]
    for (seconds, median) in medians {
      let rows = try seconds.map {
        var row = try Self.row("", Self.reading(nil))
        row.cpuSeconds = $0
        return row
      }
      #expect(EvaluationSummary(rows).medianCPUSeconds == median)
    }
  }

  @Test func tableDefinesEachFigure() throws {
    let table = Evaluation(rows: [try Self.row("", Self.reading(nil))]).table
    #expect(
      table.contains(#/(?m)^rightly_silent +1  correctly empty: pictures without a serial in which none was found$/#),
      "\(table)")
    for name in EvaluationSummary.definitions.keys { #expect(table.contains("\n\(name) "), "\(name)") }
  }

  @Test func confidenceBelowThresholdIsNotRoundedUpToIt() throws {
    let row = try Self.row("C02ZK1ABMD6N", Self.reading("C02ZK1ABMD6M", confidence: 0.969_96))
    let evaluation = Evaluation(rows: [row])
    #expect(evaluation.failures == ["wrong       a.jpg: expected C02ZK1ABMD6N, read C02ZK1ABMD6M (0.969)"])
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).csv")
    defer { try? FileManager.default.removeItem(at: file) }
    try evaluation.writeCSV(to: file)
    #expect(try String(contentsOf: file, encoding: .utf8).contains(",0.969,"))
  }

  @Test func tableHasARowForEachCandidateAndSerial() throws {
    let evaluation = Evaluation(rows: [
      try Self.row("C02ZK1ABMD6N", Self.reading("C02ZK1ABMD6N")), try Self.row("", Self.reading(nil)),
    ])
    let candidates = ["C02ZK1ABMD6N", "C02ZK1ABMD6M"].map {
      EvaluationTable.Candidate(
        serial: $0, confidence: 0.5, method: "tesseract", strategy: "rows", features: ["margin": 2, "glyph": -1.5])
    }
    let judged = EvaluationTable.Candidate(
      serial: "C02ZK1ABMD6N", confidence: 0.98, method: "", strategy: "", features: ["margin": 2, "veto": 1])
    let table = EvaluationTable(
      evaluation, findings: [EvaluationTable.Findings(candidates: candidates, serials: [judged])])
    let lines = String(decoding: table.csv(), as: UTF8.self).split(separator: "\r\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let header = try #require(lines.first)
    func cells(_ column: String) throws -> [String] {
      let place = try #require(header.firstIndex(of: column))
      return lines.dropFirst().map { $0[place] }
    }
    #expect(try cells("row") == ["picture", "candidate", "candidate", "serial", "picture"])
    #expect(try cells("predicted") == ["C02ZK1ABMD6N", "C02ZK1ABMD6N", "C02ZK1ABMD6M", "C02ZK1ABMD6N", ""])
    #expect(try cells("is_hit") == ["true", "true", "false", "true", "false"])
    #expect(try cells("outcome") == ["right", "", "", "", "rightly_silent"])
    #expect(try cells("glyph") == ["", "-1.5000", "-1.5000", "", ""])
    #expect(try cells("margin") == ["", "2.0000", "2.0000", "2.0000", ""])
    #expect(try cells("veto") == ["", "", "", "1.0000", ""])
  }
}

import Evaluations
import Exports
import Foundation
import Testing

/// Label files in practice: byte order marks, CRLF, quotes, other columns, missing ones.
@Suite struct LabelsFileTests {
  @Test(arguments: [
    "filename,serial\na.jpg,c02zk1abmd6n\nb.jpg,\n",
    "filename,serial\r\na.jpg,C02ZK1ABMD6N\r\nb.jpg,\r\n",
    "\"filename\",\"serial\"\n\"a.jpg\",\"C02ZK1ABMD6N\"\n\"b.jpg\",\"\"",
    "Serial,Grade,Filename\nC02ZK1ABMD6N,easy,a.jpg\n,hard,b.jpg\n\n",
  ])
  func readsRows(text: String) throws {
    let labels = try LabelsFile(text: text, folder: "x").labels
    #expect(labels.map(\.filename) == ["a.jpg", "b.jpg"])
    #expect(labels.map(\.serial) == ["C02ZK1ABMD6N", ""])
  }

  @Test func keepsCommasInQuotedNames() throws {
    let labels = try LabelsFile(text: "filename,serial,preset\n\"a, b.jpg\",X,screen\n", folder: "x").labels
    #expect(labels.first?.filename == "a, b.jpg")
    #expect(labels.first?.preset == .screen)
  }

  @Test func acceptsPathsOfOtherSystems() throws {
    let text = "filename,serial\n./a.jpg,C02XL0THJHCC\nin\\b.jpg,\n.\\in\\.\\c.jpg,\na.jpg,C02XL0THJHCC\n"
    let file = try LabelsFile(text: text, folder: "x")
    #expect(file.labels.map(\.filename) == ["a.jpg", "in/b.jpg", "in/c.jpg"])
    #expect(file.warnings.map(\.code) == [.duplicateRow])
  }

  @Test func namesMissingColumn() {
    #expect(throws: LabelsFile.Problem.columnMissing(folder: "x", column: "serial")) {
      try LabelsFile(text: "filename\na.jpg\n", folder: "x")
    }
  }

  /// All rows of a table get the length of the longest: one row of commas and many short ones would multiply.
  @Test func rejectsOverlongRows() throws {
    let header = "filename,serial" + String(repeating: ",", count: 62)
    #expect(try LabelsFile(text: header + "\na.jpg,X\n", folder: "x").labels.count == 1)
    #expect(throws: LabelsFile.Problem.unreadable(folder: "x", reason: "line 1 has more than 64 cells")) {
      try LabelsFile(text: header + ",\n" + String(repeating: "\n", count: 1_000_000), folder: "x")
    }
    let many = header + "\n" + String(repeating: "x" + String(repeating: ",", count: 63) + "\n", count: 40_000)
    #expect(throws: LabelsFile.Problem.unreadable(folder: "x", reason: "it has more than 2000000 cells")) {
      try LabelsFile(text: many, folder: "x")
    }
    let quoted = "filename,serial\n\"" + String(repeating: ",\n", count: 1000) + "\",X\n"
    #expect(try LabelsFile(text: quoted, folder: "x").labels.count == 1)
  }

  @Test(arguments: [",", "\"", "\"\"", "\n", "\r\n", ";", "a", "\",\n", "é"])
  func doubleTextCostsAtMostDoubleWork(unit: String) {
    for head in ["", "\"", "filename,serial\n"] {
      func steps(_ count: Int) -> Int {
        let text = head + String(repeating: unit, count: count)
        let rows = try? DelimitedRows(text.utf8, delimiter: UInt8(ascii: ","), mostCells: .max, mostCellsInAll: .max)
        return rows?.steps ?? text.utf8.count
      }
      let (once, twice) = (steps(20_000), steps(40_000))
      #expect(once > 0 && twice <= 2 * once, "\(once), then \(twice)")
    }
  }

  @Test func rejectsPipeAsLabels() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(mkfifo(folder.appendingPathComponent("labels.csv").path, 0o600) == 0)
    #expect(throws: LabelsFile.Problem.missing(folder: folder.lastPathComponent)) { try LabelsFile(folder: folder) }
  }

  @Test func acceptsSemicolonAsDelimiter() throws {
    let labels = try LabelsFile(text: "filename;serial\na,b.jpg;c02xl0thjhcc\n", folder: "x").labels
    #expect(labels.map(\.filename) == ["a,b.jpg"] && labels.map(\.serial) == ["C02XL0THJHCC"])
    #expect(try LabelsFile(text: "filename,serial\na;b.jpg,X\n", folder: "x").labels.map(\.filename) == ["a;b.jpg"])
  }

  @Test(arguments: [
    "filename\tserial\na.jpg\tC02XL0THJHCC\n", "sep=;\r\nfilename;serial\r\na.jpg;C02XL0THJHCC\r\n",
    "sep=\t\nfilename\tserial\na.jpg\tC02XL0THJHCC", "\u{FEFF}filename,serial\na.jpg,\"S C02X L0TH JHCC\"\n",
  ])
  func acceptsSpreadsheetDelimiters(text: String) throws {
    let labels = try LabelsFile(text: text, folder: "x").labels
    #expect(labels.map(\.filename) == ["a.jpg"] && labels.map(\.serial) == ["C02XL0THJHCC"])
  }

  @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian])
  func acceptsUTF16(encoding: String.Encoding) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let content = try #require("\u{FEFF}filename\tserial\r\nä.jpg\tC02XL0THJHCC\r\n".data(using: encoding))
    try content.write(to: folder.appendingPathComponent("labels.csv"))
    #expect(try LabelsFile(folder: folder).labels.map(\.filename) == ["ä.jpg"])
  }

  @Test func countsExcludedRowsWithoutScoring() throws {
    let file = try LabelsFile(
      text: """
        filename,serial
        a.jpg,S-C02XL0THJHCC
        a.jpg,C02XL0THJHCC
        b.jpg
        c.jpg;C02XL0THJHCC
        d.jpg,C02XL0THJHCC
        d.jpg,C02G414GMD6N
        e.jpg,C02XLOTHJHCC
        ,C02XL0THJHCC
        f.jpg,
        """, folder: "x")
    #expect(file.labels.map(\.filename) == ["a.jpg", "e.jpg", "f.jpg"])
    #expect(file.labels.map(\.serial) == ["C02XL0THJHCC", "C02XLOTHJHCC", ""])
    let counts = Dictionary(uniqueKeysWithValues: file.warnings.map { ($0.code, $0.count) })
    #expect(
      counts == [
        .normalisedLabel: 1, .duplicateRow: 1, .incompleteRow: 3, .contradictingRows: 1, .impossibleLabel: 1,
      ])
    #expect(file.warnings.first { $0.code == .incompleteRow }?.detail.contains("line 4") == true)
  }

  @Test(arguments: ["-", "n/a", "?", "X"])
  func warnsOfLabelThatIsNotSerial(label: String) throws {
    let file = try LabelsFile(text: "filename,serial\na.jpg,\nb.jpg,\(label)\n", folder: "x")
    #expect(file.labels.map(\.serial) == ["", label.uppercased()])
    #expect(file.warnings.map(\.code) == [.impossibleLabel])
    #expect(file.warnings.first?.detail.contains("line 3: \(label) is not a serial number") == true)
  }

  @Test(arguments: ["1.23E+11", "12345678.0", "MAR-21"])
  func warnsOfLabelThatSpreadsheetChanged(label: String) throws {
    let file = try LabelsFile(text: "filename,serial\na.jpg,\nb.jpg,\(label)\n", folder: "x")
    #expect(file.labels.map(\.serial) == ["", label] && file.warnings.map(\.code) == [.impossibleLabel])
    #expect(file.warnings.first?.detail.contains("line 3: a spreadsheet changed it into the ") == true)
  }

  @Test(arguments: ["=\"C02XL0THJHCC\"", "'C02XL0THJHCC", "\u{A0}C02XL0THJHCC\u{200B}"])
  func readsSerialThatSpreadsheetKeptAsText(label: String) throws {
    let file = try LabelsFile(text: "filename,serial\na.jpg,\(label)\n", folder: "x")
    #expect(file.labels.map(\.serial) == ["C02XL0THJHCC"])
  }

  @Test func warnsOfUnknownPreset() throws {
    let file = try LabelsFile(
      text: """
        filename,serial,preset
        a.jpg,,etched
        b.jpg,,ethced
        c.jpg,,
        d.jpg,,Screen
        e.jpg,
        f.jpg,,auto
        """, folder: "x")
    #expect(file.labels.map(\.preset) == [.etched, nil, nil, .screen, nil, nil])
    #expect(file.warnings.map(\.code) == [.unknownPreset] && file.warnings.map(\.count) == [2])
    #expect(file.warnings.first?.detail.contains("line 3: ethced is not a preset") == true)
  }

  @Test func rejectsHeaderWithoutRows() {
    #expect(throws: LabelsFile.Problem.empty(folder: "x", reason: nil)) {
      try LabelsFile(text: "filename,serial\n", folder: "x")
    }
  }

  @Test func namesLineOfUnclosedQuote() {
    #expect(throws: LabelsFile.Problem.unreadable(folder: "x", reason: "the quote that opens on line 3 never closes")) {
      try LabelsFile(text: "filename,serial\na.jpg,X\n\"b.jpg,Y\nc.jpg,Z\n", folder: "x")
    }
  }

  @Test func rowsReportTheirFirstLine() throws {
    let text = "a,\"b\r\nc\"\r\n\r\nd,\"e\"\"f\"\rg"
    let rows = try DelimitedRows(text.utf8, delimiter: UInt8(ascii: ","), mostCells: 9, mostCellsInAll: 99).rows
    #expect(rows.map(\.line) == [1, 4, 5])
    #expect(rows.map(\.cells) == [["a", "b\r\nc"], ["d", "e\"f"], ["g"]])
  }
}

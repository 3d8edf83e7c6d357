import Foundation
import Reports
import Testing

/// What labelled folders look like in the wild: byte order marks, CRLF, quotes, other columns, missing ones.
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

  @Test func quotedNamesKeepTheirCommas() throws {
    let labels = try LabelsFile(text: "filename,serial,preset\n\"a, b.jpg\",X,screen\n", folder: "x").labels
    #expect(labels.first?.filename == "a, b.jpg")
    #expect(labels.first?.preset == .screen)
  }

  @Test func missingColumnIsNamed() {
    #expect(throws: LabelsFile.Problem.columnMissing(folder: "x", column: "serial")) {
      try LabelsFile(text: "filename\na.jpg\n", folder: "x")
    }
  }

  /// The rows of a table are made as long as the longest: one row of commas and many short ones would be their product.
  @Test func rowsWithoutEndAreRefused() throws {
    let header = "filename,serial" + String(repeating: ",", count: 62)
    #expect(try LabelsFile(text: header + "\na.jpg,X\n", folder: "x").labels.count == 1)
    #expect(throws: LabelsFile.Problem.unreadable(folder: "x", reason: "a row has more than 64 fields")) {
      try LabelsFile(text: header + ",\n" + String(repeating: "\n", count: 1_000_000), folder: "x")
    }
    let many = header + String(repeating: "\nx", count: 40_000)
    #expect(throws: LabelsFile.Problem.unreadable(folder: "x", reason: "it has more than 2000000 fields")) {
      try LabelsFile(text: many, folder: "x")
    }
    let quoted = "filename,serial\n\"" + String(repeating: ",\n", count: 1000) + "\",X\n"
    #expect(try LabelsFile(text: quoted, folder: "x").labels.count == 1)
  }

  @Test(arguments: [",", "\"", "\"\"", "\n", "\r\n", ";", "a", "\",\n", "é"])
  func twiceTheTextIsAtMostTwiceTheWork(unit: String) {
    for head in ["", "\"", "filename,serial\n"] {
      let once = TableSize(of: head + String(repeating: unit, count: 20_000), delimiter: ",")
      let twice = TableSize(of: head + String(repeating: unit, count: 40_000), delimiter: ",")
      #expect(once.steps > 0 && twice.steps <= 2 * once.steps, "\(once), then \(twice)")
    }
  }

  @Test func aPipeIsNoFileOfLabels() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(mkfifo(folder.appendingPathComponent("labels.csv").path, 0o600) == 0)
    #expect(throws: LabelsFile.Problem.missing(folder: folder.lastPathComponent)) { try LabelsFile(folder: folder) }
  }

  @Test func aSemicolonPartsColumnsWhereTheHeaderHasNoComma() throws {
    let labels = try LabelsFile(text: "filename;serial\na,b.jpg;c02xl0thjhcc\n", folder: "x").labels
    #expect(labels.map(\.filename) == ["a,b.jpg"] && labels.map(\.serial) == ["C02XL0THJHCC"])
    #expect(try LabelsFile(text: "filename,serial\na;b.jpg,X\n", folder: "x").labels.map(\.filename) == ["a;b.jpg"])
  }
}

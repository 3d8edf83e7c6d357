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
}

import Reports
import Testing

/// Gates fail on too few right reads, too many misreads, and folders that are not there.
@Suite struct AccuracyGatesTests {
  @Test func failuresAreSentences() throws {
    let gates = try AccuracyGates(
      csv: "# measured\nfolder,least_right,most_misreads,most_accepted_misreads\n,2,0,0\nscreen,1,0,0\n")
    let rows = [
      try EvaluationTests.row("C02ZK1ABMD6N", EvaluationTests.reading("C02ZK1ABMD6N")),
      try EvaluationTests.row("C02ZK1ABMD6N", EvaluationTests.reading("C02ZK1ABMD6M")),
    ]
    #expect(gates.failures(of: Evaluation(rows: rows)).count == 4)
    #expect(gates.failures(of: Evaluation(rows: [rows[0], rows[0]])) == ["screen: there are no pictures"])
  }

  @Test func mistakesAreToldWithTheirLine() throws {
    let header = "folder,least_right,most_misreads,most_accepted_misreads\n"
    for (text, says) in [
      ("", "begin with"), ("etched,1,0,0\n", "begin with"), (header + "etched,1,0,0\nscreen,many,0,0\n", "Line 3"),
      (header + "etched,1,0\n", "Line 2"), (header + "etched,1,0,0,0\n", "Line 2"), (header + "\"etched", "columns"),
    ] {
      let problem = #expect(throws: AccuracyGates.Problem.self) { try AccuracyGates(csv: text) }
      #expect(problem?.description.contains(says) == true)
    }
  }
}

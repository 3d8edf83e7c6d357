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
}

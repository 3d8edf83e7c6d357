import Evaluations
import Exports
import Testing

/// Accuracy gates: too few correct reads, too many misreads, and missing folders fail.
@Suite struct AccuracyGatesTests {
  @Test func reportsFailuresAsSentences() throws {
    let gates = try AccuracyGates(
      csv: "# measured\nfolder,least_right,most_misreads,most_accepted_misreads\n,2,0,0\nscreen,1,0,0\n")
    let rows = [
      try EvaluationTests.row("C02ZK1ABMD6N", EvaluationTests.reading("C02ZK1ABMD6N")),
      try EvaluationTests.row("C02ZK1ABMD6N", EvaluationTests.reading("C02ZK1ABMD6M")),
    ]
    #expect(gates.failures(of: Evaluation(rows: rows)).count == 4)
    #expect(gates.failures(of: Evaluation(rows: [rows[0], rows[0]])) == ["screen: there are no pictures"])
  }

  @Test func dotIsEvaluatedFolderItself() throws {
    let gates = try AccuracyGates(csv: "folder,least_right,most_misreads,most_accepted_misreads\n.,2,0,0\n")
    let row = try EvaluationTests.row("C02ZK1ABMD6N", EvaluationTests.reading("C02ZK1ABMD6N"))
    #expect(gates.failures(of: Evaluation(rows: [row, row])).isEmpty)
    #expect(gates.failures(of: Evaluation(rows: [row])) == [".: 1 correct, at least 2 required"])
  }

  @Test(arguments: [
    ("", 1, "header"), ("# only\n", 1, "header"), ("folder,least_right\nx,1\n", 1, "most_misreads"),
    ("# one\nfolder,least_right,most_misreads,most_accepted_misreads\nx,1,0,0\ny,many,0,0\n", 4, "least_right"),
    ("folder,least_right,most_misreads,most_accepted_misreads\nx,1,0\n", 2, "most_accepted_misreads"),
    ("folder,least_right,most_misreads,most_accepted_misreads\nx,1,-1,0\n", 2, "most_misreads"),
    ("folder,least_right,most_misreads,most_accepted_misreads\n\"x,1,0,0\n", 2, "quote"),
  ])
  func reportsLineOfProblem(csv: String, line: Int, word: String) throws {
    let problem = try #require(throws: AccuracyGates.Problem.self) { try AccuracyGates(csv: csv) }
    #expect(problem.line == line && problem.expected.contains(word), "\(problem)")
  }
}

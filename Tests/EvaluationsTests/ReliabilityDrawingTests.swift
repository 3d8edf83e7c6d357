import Foundation
#if canImport(FoundationXML)
  import FoundationXML
#endif
import Evaluations
import Exports
import Testing

/// The reliability diagram: well-formed, and consistent with its figures.
@Suite struct ReliabilityDrawingTests {
  /// Three serials: two confident ones, one of them wrong, and an uncertain one.
  static func rows() throws -> [Evaluation.Row] {
    [
      try EvaluationTests.row("C02ZK1ABMD6N", EvaluationTests.reading("C02ZK1ABMD6N", confidence: 0.96)),
      try EvaluationTests.row("C02ZK1ABMD6N", EvaluationTests.reading("C02ZK1ABMD6M", confidence: 0.98)),
      try EvaluationTests.row("C02ZK1ABMD6N", EvaluationTests.reading("C02ZK1ABMD6M", confidence: 0.31)),
    ]
  }

  @Test func marksEachBinAtItsConfidenceAndShare() throws {
    let drawing = ReliabilityDrawing(ReliabilityDiagram(try Self.rows()), title: "A < B & C")
    let marks = try XMLDocument(xmlString: drawing.svg).nodes(forXPath: "//*[local-name()='circle']")
    // The square begins at (64, 48) and is 320 pixels wide; x is the confidence, y the share of correct reads.
    let places = try marks.map { mark -> (x: Double, y: Double) in
      func value(_ name: String) throws -> Double {
        try #require(mark.nodes(forXPath: "@\(name)").first?.stringValue.flatMap(Double.init))
      }
      return (try value("cx"), try value("cy"))
    }
    #expect(places.count == 2)
    #expect(abs(places[0].x - (64 + 0.31 * 320)) < 0.01)
    #expect(abs(places[0].y - (48 + 320)) < 0.01)
    #expect(abs(places[1].x - (64 + 0.97 * 320)) < 0.01)
    #expect(abs(places[1].y - (48 + 160)) < 0.01)
  }

  @Test func showsCountAndErrorAndEscapesTitle() throws {
    let text = try XMLDocument(xmlString: ReliabilityDrawing(ReliabilityDiagram(Self.rows()), title: "A < B & C").svg)
      .rootElement()?.stringValue
    // |0.31 - 0| / 3 + |0.97 - 0.5| * 2 / 3
    #expect(text?.contains("3 serials given, expected calibration error 0.417") == true)
    #expect(text?.contains("A < B & C") == true)
  }
}

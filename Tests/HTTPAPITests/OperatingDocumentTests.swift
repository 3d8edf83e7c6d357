import Foundation
import JobStore
import Testing

/// The errors of `docs/operating.md`.
@Suite struct OperatingDocumentTests {
  @Test func everyErrorCodeHasARowInOperating() throws {
    let document = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("docs/operating.md"), encoding: .utf8)
    let table = try #require(document.components(separatedBy: "| `error_code` | what to do |").last)
    let rows = table.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { $0.split(separator: "|") }
    #expect(rows.allSatisfy { $0.count == 2 && $0[1].count > 20 })
    let codes = rows.flatMap { $0[0].matches(of: #/`([A-Z_]+)`/#).map { String($0.output.1) } }
    #expect(codes.sorted() == ErrorCode.allCases.map(\.rawValue).sorted())
  }
}

import Foundation
import Testing

/// The tests that documents cite.
@Suite struct GuaranteesTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The names of all test functions.
  private static func tests() throws -> Set<String> {
    let files = FileManager.default.enumerator(
      at: root.appendingPathComponent("Tests"), includingPropertiesForKeys: nil)
    let pattern = #/func (\w+)\(/#
    return try (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }.reduce(into: []) {
      let text = try String(contentsOf: $1, encoding: .utf8)
      $0.formUnion(text.matches(of: pattern).map { String($0.output.1) })
    }
  }

  /// The names in `*(...)*`, and in the last cell of the rows of tables.
  private static func references(in text: String) -> [String] {
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") }
      .compactMap { $0.split(separator: "|").last { $0.contains("`") }.map(String.init) }
    let clauses = text.matches(of: #/\*\(([^*]*)\)\*/#).map { String($0.output.1) }
    return (rows + clauses).flatMap { $0.matches(of: #/`(\w+)`/#).map { String($0.output.1) } }
  }

  @Test(arguments: [("docs/guarantees.md", 40), ("docs/threat_model.md", 2)])
  func everyTestNamedInDocumentsExists(document: String, least: Int) throws {
    let text = try String(contentsOf: Self.root.appendingPathComponent(document), encoding: .utf8)
    let named = Self.references(in: text)
    #expect(named.count >= least)
    #expect(Set(named).subtracting(try Self.tests()).isEmpty)
  }
}

import Evaluations
import Testing

/// The search for better parameters: its trials, their order, its end, and its result.
@Suite struct ParameterSearchTests {
  /// Runs a search whose trials have the results that `hits` returns.
  private static func run(
    from defaults: [String: Double], changing names: [String]? = nil,
    within ranges: [String: ClosedRange<Double>] = [:], rounds: Int = 1, hits: ([String: Double]) -> Int
  ) throws -> ParameterSearch {
    var search = try ParameterSearch(from: defaults, changing: names, within: ranges, rounds: rounds)
    while let parameters = search.next() { search.record(parameters, hits: hits(parameters), misreads: 0) }
    return search
  }

  @Test func keepsConfiguredParametersUnlessOthersAreBetter() throws {
    let search = try Self.run(from: ["a": 10, "b": 0.5]) { _ in 3 }
    #expect(search.trials.map { $0.parameters["a"] } == [10, 7, 9, 12, 14, 10, 10, 10, 10])
    #expect(
      search.trials.dropFirst(5).compactMap { $0.parameters["b"] } == [0.5 * 0.7, 0.5 * 0.85, 0.5 * 1.15, 0.5 * 1.4])
    #expect(search.best?.parameters == ["a": 10, "b": 0.5] && !search.isImproved)
    #expect(search.trials.count == search.planned)
  }

  @Test func variesNextParameterAroundBestSoFar() throws {
    let search = try Self.run(from: ["a": 10, "b": 100]) { $0["a"] == 12 ? 5 : 1 }
    #expect(search.trials.dropFirst(5).allSatisfy { $0.parameters["a"] == 12 })
    #expect(search.best?.parameters == ["a": 12, "b": 100] && search.isImproved)
  }

  @Test func triesOnlyValuesThatSettingsAccept() throws {
    let search = try Self.run(from: ["a": 10], within: ["a": 9...11]) { _ in 0 }
    #expect(search.trials.map { $0.parameters["a"] } == [10, 9, 11])
  }

  @Test func stopsAfterRoundWithoutImprovement() throws {
    let still = try Self.run(from: ["a": 100], rounds: 5) { _ in 0 }
    #expect(still.trials.count == 5 && still.planned == 21)
    let climbing = try Self.run(from: ["a": 100], rounds: 5) { Int(-abs(($0["a"] ?? 0) - 300)) }
    #expect(climbing.best?.parameters["a"] ?? 0 > 270 && climbing.trials.count > 9)
  }

  @Test func searchNeverEndsWorseNorRepeatsATrial() throws {
    var state: UInt64 = 20_261_124
    for _ in 0..<200 {
      let search = try Self.run(from: ["a": 1, "b": 2, "c": 7.5], rounds: 5) { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % 10
      }
      let baseline = try #require(search.trials.first)
      let best = try #require(search.best)
      #expect(best.score >= baseline.score && best.score == search.trials.map(\.score).max())
      #expect(Set(search.trials.map(\.parameters)).count == search.trials.count)
      #expect(search.trials.count <= search.planned)
    }
  }

  @Test func misreadsOutweighHits() throws {
    var search = try ParameterSearch(from: ["a": 10], changing: nil, within: [:], rounds: 1)
    var misreads = 0
    while let parameters = search.next() {
      search.record(parameters, hits: 5 + misreads, misreads: 2 * misreads)
      misreads += 1
    }
    #expect(search.best?.parameters == ["a": 10] && search.trials.map(\.score) == [5, 4, 3, 2, 1])
  }

  @Test func changesOnlyKnownParameters() throws {
    let error = try #require(throws: ParameterSearch.UnknownParameter.self) {
      try ParameterSearch(from: ["b": 1, "a": 2], changing: ["a", "x"], within: [:], rounds: 1)
    }
    #expect(error.name == "x" && error.known == ["a", "b"])
    let search = try Self.run(from: ["a": 10, "b": 100], changing: ["b"]) { _ in 0 }
    #expect(search.trials.allSatisfy { $0.parameters["a"] == 10 } && search.trials.count == 5)
    #expect(try Self.run(from: ["a": 10], changing: []) { _ in 0 }.trials.count == 1)
    #expect(try Self.run(from: [:], rounds: 5) { _ in 0 }.trials.count == 1)
  }
}

import Foundation
import HTTPAPI
import Support
import Testing

/// Limits of JSON bodies: twice the bytes cost at most twice the steps, and checking stops at the limit.
@Suite struct JSONBoundsTests {
  private static func look(_ text: String) -> (steps: Int, excess: JSONBounds.Excess?) {
    var bounds = JSONBounds()
    do throws(JSONBounds.Excess) {
      try bounds.check(text.utf8)
      return (bounds.steps, nil)
    } catch {
      return (bounds.steps, error)
    }
  }

  /// The texts that are repeated.
  static let units = [
    "x", "\\\"", "\\\\", "[", "]", "{", ",", ":", "[]", "[1,", "{\"a\":", "\"", "\"a\",", " ", "\u{e9}",
  ]

  @Test(arguments: units)
  func doubleTextCostsAtMostDoubleWork(unit: String) {
    for head in ["", "\"", "[", "{\"image\":\""] {
      let once = Self.look(head + String(repeating: unit, count: 20_000))
      let twice = Self.look(head + String(repeating: unit, count: 40_000))
      #expect(once.steps > 0 && twice.steps <= 2 * once.steps, "\(once), then \(twice)")
    }
  }

  @Test func limitsValuesAndNesting() {
    let values = String(repeating: "1,", count: 1 << 20)
    #expect(Self.look("[" + values).excess == .values(most: JSONBounds.mostValues))
    #expect(Self.look("[" + values).steps <= 2 * JSONBounds.mostValues + 2)
    #expect(Self.look(String(repeating: "{\"a\":", count: 100)).excess == .depth(most: JSONBounds.mostDepth))
    #expect(Self.look(String(repeating: "[", count: 32) + String(repeating: "]", count: 32)).excess == nil)
    // Brackets and commas within a string do not count.
    #expect(Self.look("\"" + values + String(repeating: "[{\\\"", count: 100_000) + "\"").excess == nil)
  }

  @Test(arguments: [
    ("{\"a\":1,\"b\":2,\"a\":3}", "a"), ("[{\"a\":{\"b\":[1,2],\"b\":{}}}]", "b"), ("{\"a\":{\"a\":[{\"a\":1}]}}", nil),
    ("[{\"a\":1},{\"a\":1}]", nil), ("{\"a\":\"b\",\"b\":\"a\"}", nil), ("{\"\":0,\"\":0}", ""), ("]]:{\"a\":", nil),
  ])
  func noticesRepeatedFields(text: String, name: String?) {
    #expect(Self.look(text).excess == name.map { .repeated($0) })
  }

  @Test func rejectsRepeatedField() async throws {
    let api = try await RunningAPI()
    let fields = "\"confidence\":1,\"source\":\"mac\""
    let reply = try await RecordsTests.save(
      "{\"serial\":\"C02G414GMD6N\",\(fields),\"serial\":\"J9LDLRBE3382\"}", on: api)
    #expect(reply.status == 422 && reply.json["error_code"] as? String == "INVALID_JSON", "\(reply.text)")
    #expect((reply.json["detail"] as? String)?.contains("`serial` appears twice") == true, "\(reply.text)")
  }

  @Test(arguments: [
    ("{\"serial\":[" + String(repeating: "1,", count: 20_000) + "1]}", "more than 10000 values"),
    (String(repeating: "[", count: 40), "deeper than 32"),
  ])
  func rejectsBodyWithTooManyValues(body: String, sentence: String) async throws {
    let api = try await RunningAPI()
    let reply = try await RecordsTests.save(body, on: api)
    #expect(reply.status == 422 && reply.json["error_code"] as? String == "INVALID_JSON")
    #expect((reply.json["detail"] as? String)?.contains(sentence) == true, "\(reply.text)")
  }

  @Test func limitsQueryParameters() async throws {
    let api = try await RunningAPI()
    let most = Array(repeating: "limit=1", count: 100)
    for (parameters, sentence) in [(most + ["limit=1"], "more than 100"), (most, "`limit` was sent more than once")] {
      let reply = try #require(await api.get("/jobs?" + parameters.joined(separator: "&")))
      #expect(reply.status == 422 && reply.json["error_code"] as? String == "INVALID_PARAMETER")
      #expect((reply.json["detail"] as? String)?.contains(sentence) == true, "\(reply.text)")
    }
  }
}

import Foundation
import Hummingbird
import HummingbirdCore

/// The query of a request, checked as it is read: what is wrong is 422 and names the parameter.
struct Query {
  private let values: [String: String]

  /// Takes the query as forms write it: `+` is a blank. Of a parameter given twice the first counts.
  init(_ request: Request) {
    values = Dictionary(Self.pairs(request).map { ($0.name, $0.value ?? "") }) { first, _ in first }
  }

  /// The most parameters of a request; the length of all is bounded as a header's is.
  private static let mostParameters = 100

  /// Throws 422 where a value is no text: bytes that are no UTF-8, or a NUL, at which other programs' texts end; where
  /// there are too many; and for a parameter that is not among those allowed, with the one that was perhaps meant.
  static func check(_ request: Request, allowed: [String]) throws {
    guard request.uri.query?.utf8.count(where: { $0 == UInt8(ascii: "&") }) ?? 0 < mostParameters else {
      throw APIError(.invalidParameter, "The query has more than \(mostParameters) parameters.")
    }
    for (name, value) in pairs(request) {
      guard let value, !value.utf8.contains(0) else {
        throw APIError.invalidParameter(name.shown, "must be UTF-8 text without NUL characters")
      }
      guard allowed.contains(name) else { throw APIError.unknownParameter(name, allowed: allowed) }
    }
  }

  /// The parameters in their order; a value is nil where it is no text.
  private static func pairs(_ request: Request) -> [(name: String, value: String?)] {
    (request.uri.query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { pair in
      let written = pair.prefix { $0 != UInt8(ascii: "=") }
      // Of bytes: nothing that a client writes is walked character by character.
      let value = pair.dropFirst(written.count + 1).map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
      return (
        String(decoding: written, as: UTF8.self).removingPercentEncoding ?? String(decoding: written, as: UTF8.self),
        String(decoding: value, as: UTF8.self).removingPercentEncoding
      )
    }
  }

  /// The text of a parameter; nil where it is missing or empty.
  subscript(_ name: String) -> String? {
    values[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The text of a parameter; nil where it is missing.
  func given(_ name: String) -> String? { values[name] }

  /// Text of at most `limit` characters.
  func text(_ name: String, limit: Int = 200) throws -> String? {
    guard let text = self[name] else { return nil }
    try ClientText.check(text, named: name, limit: limit)
    return text
  }

  /// A number of seconds. More than `most`, up to a day, stand for `most`: clients ask for as long as they would wait.
  func seconds(_ name: String, most: Double) throws -> Double? {
    guard let text = values[name] else { return nil }
    guard let seconds = Double(text), (0...max(most, 86_400)).contains(seconds) else {
      throw APIError.invalidParameter(name, "must be between 0 and \(most.formatted()) seconds (got \(text.shown))")
    }
    return seconds
  }

  /// A whole number within a range.
  func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = values[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw APIError.invalidParameter(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A number within a range.
  func number(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
    guard let text = values[name] else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw APIError.invalidParameter(
        name, "must be a number from \(range.lowerBound.formatted()) to \(range.upperBound.formatted())")
    }
    return number
  }

  /// `true` or `false`; also 1 and 0.
  func flag(_ name: String) throws -> Bool? {
    try values[name].map { try Self.flag(name, $0) }
  }

  /// The same of a text that came another way.
  static func flag(_ name: String, _ text: String) throws -> Bool {
    switch text.lowercased() {
    case "true", "1": true
    case "false", "0": false
    default: throw APIError.invalidParameter(name, "must be true or false")
    }
  }

  /// One of the words of an enumeration.
  func choice<Choice: RawRepresentable & CaseIterable>(_ name: String, of type: Choice.Type) throws -> Choice?
  where Choice.RawValue == String {
    guard let text = values[name] else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let words = Choice.allCases.map { String($0.rawValue) }.joined(separator: ", ")
      throw APIError.invalidParameter(name, "must be one of \(words)")
    }
    return choice
  }
}

extension APIError {
  /// A parameter that a route does not have.
  fileprivate static func unknownParameter(_ name: String, allowed: [String]) -> APIError {
    let nearest = Spelling.nearest(to: name, among: allowed).map { " Did you mean `\($0)`?" } ?? ""
    let all = allowed.isEmpty ? "none" : allowed.map { "`\($0)`" }.joined(separator: ", ")
    return APIError(
      .invalidParameter, "There is no parameter `\(name.shown)`.\(nearest) This route takes \(all).")
  }
}

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

  /// Throws 422 where a value is no text: bytes that are no UTF-8, or a NUL, at which other programs' texts end; and where
  /// there are too many.
  static func check(_ request: Request) throws {
    guard request.uri.query?.utf8.count(where: { $0 == UInt8(ascii: "&") }) ?? 0 < mostParameters else {
      throw APIError(.invalidParameter, "The query has more than \(mostParameters) parameters.")
    }
    for (name, value) in pairs(request) {
      guard let value, !value.utf8.contains(0) else {
        throw APIError.invalidParameter(String(name.prefix(40)), "must be UTF-8 text without NUL characters")
      }
    }
  }

  /// The parameters in their order; a value is nil where it is no text.
  private static func pairs(_ request: Request) -> [(name: String, value: String?)] {
    (request.uri.query ?? "").split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let text = parts.count == 2 ? parts[1].replacing("+", with: " ") : ""
      return (String(parts[0]), text.removingPercentEncoding)
    }
  }

  /// Throws 422 for a parameter that is none of these, and names the one that was perhaps meant.
  func refuseOthers(than known: [String]) throws {
    guard let other = values.keys.sorted().first(where: { !known.contains($0) }) else { return }
    let shown = other.prefix(40)
    throw APIError(
      .invalidParameter,
      Spelling.nearest(to: other, among: known).map { "There is no parameter `\(shown)`. Did you mean `\($0)`?" }
        ?? "There is no parameter `\(shown)`. There are \(known.joined(separator: ", ")).")
  }

  /// The text of a parameter; nil where it is missing or empty.
  subscript(_ name: String) -> String? {
    values[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Text of at most `limit` characters.
  func text(_ name: String, limit: Int = 200) throws -> String? {
    guard let text = self[name] else { return nil }
    try ClientText.check(text, named: name, limit: limit)
    return text
  }

  /// A day.
  func day(_ name: String) throws -> CalendarDay? {
    try values[name].map { try CalendarDay($0, name: name) }
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
    guard let text = values[name] else { return nil }
    switch text.lowercased() {
    case "true", "1": return true
    case "false", "0": return false
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

extension String {
  /// Without blanks at both ends.
  var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}

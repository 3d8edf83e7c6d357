import Foundation
import Hummingbird
import HummingbirdCore

/// The query of a request, checked as it is read: what is wrong is 422 and names the parameter.
struct Query {
  private let values: FlatDictionary<Substring, Substring>

  init(_ request: Request) { values = request.uri.queryParameters }

  /// Throws 422 for a parameter that is none of these, and names the one that was perhaps meant.
  func refuseOthers(than known: [String]) throws {
    guard let other = values.map({ String($0.key) }).first(where: { !known.contains($0) }) else { return }
    let shown = other.prefix(40)
    throw APIError(
      .invalidParameter,
      Spelling.nearest(to: other, among: known).map { "There is no parameter `\(shown)`. Did you mean `\($0)`?" }
        ?? "There is no parameter `\(shown)`. There are \(known.joined(separator: ", ")).")
  }

  /// The text of a parameter; nil where it is missing or empty.
  subscript(_ name: String) -> String? {
    values[name[...]].map(String.init).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Text of at most `limit` characters.
  func text(_ name: String, limit: Int = 200) throws -> String? {
    guard let text = self[name] else { return nil }
    guard text.count <= limit else { throw APIError.invalidParameter(name, "is longer than \(limit) characters") }
    return text
  }

  /// A day.
  func day(_ name: String) throws -> CalendarDay? {
    try values[name[...]].map { try CalendarDay(String($0), name: name) }
  }

  /// A whole number within a range.
  func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = values[name[...]] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw APIError.invalidParameter(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A number within a range.
  func number(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
    guard let text = values[name[...]] else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw APIError.invalidParameter(
        name, "must be a number from \(range.lowerBound.formatted()) to \(range.upperBound.formatted())")
    }
    return number
  }

  /// `true` or `false`; also 1 and 0.
  func flag(_ name: String) throws -> Bool? {
    guard let text = values[name[...]] else { return nil }
    switch text.lowercased() {
    case "true", "1": return true
    case "false", "0": return false
    default: throw APIError.invalidParameter(name, "must be true or false")
    }
  }

  /// One of the words of an enumeration.
  func choice<Choice: RawRepresentable & CaseIterable>(_ name: String, of type: Choice.Type) throws -> Choice?
  where Choice.RawValue == String {
    guard let text = values[name[...]] else { return nil }
    guard let choice = Choice(rawValue: String(text)) else {
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

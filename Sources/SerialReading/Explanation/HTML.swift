import Foundation
import Imaging

/// A piece of HTML. Interpolated text is escaped.
struct HTML: ExpressibleByStringInterpolation, CustomStringConvertible {
  private(set) var description: String

  /// Creates a piece from a literal, without escaping.
  init(stringLiteral value: String) { description = value }

  /// Joins pieces in order.
  init(_ pieces: [HTML]) { description = pieces.map(\.description).joined() }

  init(stringInterpolation: Interpolation) { description = stringInterpolation.html }

  /// Escapes interpolated text.
  struct Interpolation: StringInterpolationProtocol {
    fileprivate var html = ""

    init(literalCapacity: Int, interpolationCount: Int) { html.reserveCapacity(literalCapacity) }
    mutating func appendLiteral(_ literal: String) { html += literal }
    mutating func appendInterpolation(_ text: String) { html += HTML.escaped(text) }
    mutating func appendInterpolation(_ number: Int) { html += String(number) }
    mutating func appendInterpolation(_ piece: HTML) { html += piece.description }
    mutating func appendInterpolation(_ pieces: [HTML]) { pieces.forEach { html += $0.description } }
  }

  /// Escapes text for use in elements and quoted attributes, and makes control characters visible.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case _ where scalar.properties.generalCategory == .control: escaped += "\u{fffd}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// An image embedded in the page; empty if memory ran out.
  static func picture(_ file: [UInt8]?, type: String, alternative: String) -> HTML {
    guard let file else { return "" }
    return "<img alt=\"\(alternative)\" src=\"data:\(type);base64,\(Data(file).base64EncodedString())\">"
  }

  /// A table whose cells are HTML.
  static func table(_ head: [String], _ rows: [[HTML]]) -> HTML {
    let cells = head.map { "<th>\($0)</th>" as HTML }
    let lines = rows.map { row in "<tr>\(row.map { "<td>\($0)</td>" as HTML })</tr>\n" as HTML }
    return "<div class=\"wide\"><table><thead><tr>\(cells)</tr></thead><tbody>\n\(lines)</tbody></table></div>"
  }
}

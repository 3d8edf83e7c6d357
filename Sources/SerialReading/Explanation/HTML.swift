import Foundation
import Imaging

/// A piece of HTML: text becomes one only escaped.
struct HTML: ExpressibleByStringInterpolation, CustomStringConvertible {
  private(set) var description: String

  /// Takes HTML as it is.
  init(stringLiteral value: String) { description = value }

  /// Takes pieces in order.
  init(_ pieces: [HTML]) { description = pieces.map(\.description).joined() }

  init(stringInterpolation: Interpolation) { description = stringInterpolation.html }

  /// Escapes what is put in.
  struct Interpolation: StringInterpolationProtocol {
    fileprivate var html = ""

    init(literalCapacity: Int, interpolationCount: Int) { html.reserveCapacity(literalCapacity) }
    mutating func appendLiteral(_ literal: String) { html += literal }
    mutating func appendInterpolation(_ text: String) { html += HTML.escaped(text) }
    mutating func appendInterpolation(_ number: Int) { html += String(number) }
    mutating func appendInterpolation(_ piece: HTML) { html += piece.description }
    mutating func appendInterpolation(_ pieces: [HTML]) { pieces.forEach { html += $0.description } }
  }

  /// Text with the characters that HTML gives a meaning replaced, in text and in quoted attributes, and control characters shown as such.
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

  /// A picture within the page; nothing where memory ran out.
  static func picture(_ file: [UInt8]?, type: String, alternative: String) -> HTML {
    guard let file else { return "" }
    return "<img alt=\"\(alternative)\" src=\"data:\(type);base64,\(Data(file).base64EncodedString())\">"
  }

  /// A table; a row's cells are HTML.
  static func table(_ head: [String], _ rows: [[HTML]]) -> HTML {
    let cells = head.map { "<th>\($0)</th>" as HTML }
    let lines = rows.map { row in "<tr>\(row.map { "<td>\($0)</td>" as HTML })</tr>\n" as HTML }
    return "<div class=\"wide\"><table><thead><tr>\(cells)</tr></thead><tbody>\n\(lines)</tbody></table></div>"
  }
}

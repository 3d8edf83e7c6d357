import Foundation
import Imaging
import ScanModel
import TextReading

/// Collects how one photo is read, for an explanation page. A reader uses it only on request.
final class ReadingExplanation {
  /// A line as the recogniser received it and as it read it.
  struct Line {
    var strategy: String
    var cut: GrayPicture
    var text: TextLine
  }

  /// One run of all strategies: on the photo, on a changed copy, or on a part of it.
  struct Pass {
    var photo: Photo
    var lines: [Line] = []
    /// The number of readings not kept because there were too many.
    var linesLeftOut = 0
    var candidates: [Candidate] = []
    var trace: [StrategyTrace] = []
    /// nil if reading failed before its end.
    var judgement: SerialJudgement?
  }

  /// The most readings kept of a pass, and the most passes; more would make the page unusable.
  private static let mostLines = 400
  private static let mostPasses = 12

  private(set) var passes: [Pass] = []
  private var strategy = ""
  /// Whether the current pass is kept.
  private var isKept = true

  /// Records the next strategy and the photo that it reads.
  func begin(_ strategy: String, in photo: Photo) {
    self.strategy = strategy
    if passes.last?.photo === photo { return }
    isKept = passes.count < Self.mostPasses
    if isKept { passes.append(Pass(photo: photo)) }
  }

  /// Adds a line that was read.
  func add(_ text: TextLine, _ cut: GrayPicture) {
    guard isKept, let last = passes.indices.last else { return }
    if passes[last].lines.count < Self.mostLines {
      passes[last].lines.append(Line(strategy: strategy, cut: cut, text: text))
    } else {
      passes[last].linesLeftOut += 1
    }
  }

  /// Adds what a pass found, at its end.
  func end(_ run: ReadingRun, _ judgement: SerialJudgement) {
    guard isKept, let last = passes.indices.last else { return }
    (passes[last].candidates, passes[last].trace) = (run.fusion.candidates, run.trace)
    passes[last].judgement = judgement
  }
}

extension SerialReader {
  /// Calls `read`, and adds to its answer a self-contained HTML page that explains it, under a name. Throws as `read`.
  func explaining(as name: String, _ read: () throws(ReadFailure) -> ReadAnswer) throws(ReadFailure) -> ReadAnswer {
    let (explanation, before) = (ReadingExplanation(), observer)
    self.explanation = explanation
    observer = { line, cut in
      explanation.add(line, cut)
      before?(line, cut)
    }
    defer { (self.explanation, observer) = (nil, before) }
    var answer = try read()
    let page = ExplanationPage(name: name, reading: answer.reading, passes: explanation.passes, thresholds: thresholds)
    answer.explanation = Array(page.html.utf8)
    return answer
  }
}

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

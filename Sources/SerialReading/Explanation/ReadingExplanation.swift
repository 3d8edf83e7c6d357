import Imaging
import ScanModel
import TextReading

/// How one photo is read, as it happens, for a page that shows it. A reader collects it only where it is asked for.
final class ReadingExplanation {
  /// A line as the recogniser got it and as it read it.
  struct Line {
    var strategy: String
    var cut: GrayPicture
    var text: TextLine
  }

  /// One way through all strategies: over the photo, over what smoothing leaves of it, or over a part of it.
  struct Pass {
    var photo: Photo
    var lines: [Line] = []
    /// Readings that are not kept, since there are too many.
    var linesLeftOut = 0
    var candidates: [Candidate] = []
    var trace: [StrategyTrace] = []
    /// Nil where reading failed before its end.
    var judgement: SerialJudgement?
  }

  /// Readings kept of one pass, and passes kept: a page of more is of no use.
  private static let mostLines = 400
  private static let mostPasses = 12

  private(set) var passes: [Pass] = []
  private var strategy = ""
  /// Whether the current pass is kept.
  private var isKept = true

  /// Notes what runs next, and the photo that it looks at.
  func begin(_ strategy: String, in photo: Photo) {
    self.strategy = strategy
    if passes.last?.photo === photo { return }
    isKept = passes.count < Self.mostPasses
    if isKept { passes.append(Pass(photo: photo)) }
  }

  /// Takes in a line that was read.
  func add(_ text: TextLine, _ cut: GrayPicture) {
    guard isKept, let last = passes.indices.last else { return }
    if passes[last].lines.count < Self.mostLines {
      passes[last].lines.append(Line(strategy: strategy, cut: cut, text: text))
    } else {
      passes[last].linesLeftOut += 1
    }
  }

  /// Takes in what a strategy found.
  func add(_ candidates: [Candidate]) {
    guard isKept, let last = passes.indices.last else { return }
    passes[last].candidates += candidates
  }

  /// Takes in what became of it all.
  func end(_ judgement: SerialJudgement, _ trace: [StrategyTrace]) {
    guard isKept, let last = passes.indices.last else { return }
    (passes[last].judgement, passes[last].trace) = (judgement, trace)
  }
}

extension SerialReader {
  /// Reads one photo, and explains how.
  ///
  /// - Parameters:
  ///   - bytes: The photo's file.
  ///   - request: How to read it.
  ///   - name: What the photo is called.
  /// - Returns: What `read` returns, and a page of HTML that needs no other file.
  /// - Throws: As `read`.
  package func explain(
    _ bytes: [UInt8], _ request: ReadRequest, name: String
  ) throws(ReadFailure) -> (answer: ReadAnswer, page: String) {
    let (explanation, before) = (ReadingExplanation(), observer)
    self.explanation = explanation
    observer = { line, cut in
      explanation.add(line, cut)
      before?(line, cut)
    }
    defer { (self.explanation, observer) = (nil, before) }
    let answer = try read(bytes, request)
    let page = ExplanationPage(
      name: name, reading: answer.reading, passes: explanation.passes, thresholds: thresholds)
    return (answer, page.html)
  }
}

import Foundation
import Imaging
import ScanModel
import TextReading

/// A self-contained HTML page that shows how one photo was read. It has no script and loads nothing.
struct ExplanationPage {
  /// The name of the photo.
  let name: String
  let reading: Reading
  let passes: [ReadingExplanation.Pass]
  let thresholds: ReadingThresholds

  private static let style = """
    body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 78rem; padding: 0 1rem; color: #1d1d1f; background: #fff }
    h1 { font-size: 1.5rem; overflow-wrap: anywhere } h2 { margin-top: 2.2rem; border-bottom: 1px solid #ccc } h3 { margin-bottom: .3rem }
    table { border-collapse: collapse; font-size: .86rem } th, td { border: 1px solid #ddd; padding: .2rem .5rem; text-align: left; vertical-align: top }
    th { background: #f4f4f6 } .wide { overflow-x: auto } code, .cut figcaption { font-family: ui-monospace, monospace }
    .photo { position: relative; display: inline-block; max-width: 100% } .photo img { display: block; max-width: 100% }
    .photo svg { position: absolute; inset: 0; width: 100%; height: 100% } polygon { fill: transparent; vector-effect: non-scaling-stroke; stroke-width: 2 }
    .line { stroke: #0a7cff } .column { stroke: #c2185b } .label { stroke: #7b1fa2 } .code { stroke: #00838f } .candidate { stroke: #f57c00 }
    .accepted { stroke: #00a000; color: #007000 } .uncertain { stroke: #f57c00; color: #a85500 } .refused { stroke: #888; color: #666 }
    .key span { border-left: 1em solid; padding: 0 1em 0 .4em; margin-right: .3em } figure { margin: .7rem 0 } .cut img { border: 1px solid #ccc; max-width: 100% }
    .lattice td { padding: .1rem .35rem; text-align: center; font-family: ui-monospace, monospace } .small { color: #666; font-size: .85rem }
    summary { cursor: pointer } .key .kl { border-color: #0a7cff } .key .kc { border-color: #c2185b } .key .kb { border-color: #7b1fa2 } .key .kd { border-color: #00838f } .key .kk { border-color: #f57c00 }
    """

  var html: String {
    let title: HTML = "How \(name) was read"
    let page: HTML = """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <style>\(HTML(stringLiteral: Self.style))</style></head><body>
      <h1>\(title)</h1>
      \(verdict)
      \(passes.enumerated().map { pass($1, number: $0 + 1) })
      </body></html>

      """
    return page.description
  }

  // MARK: Verdict

  private var verdict: HTML {
    let top = reading.topSerial
    let because: HTML =
      if let top {
        """
        <p><b class="\(reading.verdict.rawValue)">\(top.serial)</b> is <b>\(reading.verdict.rawValue)</b> with a confidence of \
        \(Self.number(Confidence.displayed(top.confidence))), read by <code>\(top.strategy)</code> (\(top.method)). From \(Self.number(thresholds.accept)) on a serial \
        is accepted, below \(Self.number(thresholds.refuse)) it is not shown.</p>
        """
      } else {
        "<p>No serial: nothing was read with a confidence of \(Self.number(thresholds.refuse)) or more.</p>"
      }
    let shown = reading.serials.map { ($0, $0.verdict ?? reading.verdict) }
    let refused = (reading.refused ?? []).map { ($0, Reading.Verdict.refused) }
    let serials = (shown + refused).map { read, verdict -> [HTML] in
      [
        "<b class=\"\(verdict.rawValue)\">\(read.serial)</b>", "\(verdict.rawValue)",
        "\(Self.number(Confidence.displayed(read.confidence)))",
        "\(read.method)", "\(read.strategy)", "\(read.label ?? "")",
        "\((read.doubts ?? []).map { "<div>\($0.sentence)</div>" as HTML })",
        "\(Self.alternatives(read.characters ?? []))", "\(Self.list(read.fields ?? []))",
      ]
    }
    let items = reading.notes.map { "<li>\($0)</li>" as HTML }
    let notes: HTML = items.isEmpty ? "" : "<ul>\(items)</ul>"
    let fields: HTML =
      reading.fields?.isEmpty ?? true ? "<p>None beside the serials' own.</p>" : Self.list(reading.fields ?? [])
    let size = reading.photoSize
    return """
      <section><h2>Verdict</h2>\(because)
      <p>Preset <code>\(reading.preset.rawValue)</code> \(reading.presetWasDetected ? "(detected)" : "(given)"); \
      \(size.width) x \(size.height) pixels; \(Self.number(reading.cpuTime)) s of CPU time, \(Self.number(reading.processingTime)) s in all.</p>
      \(notes)
      \(HTML.table(["Serial", "Verdict", "Confidence", "Method", "Strategy", "Label", "Doubts", "Doubtful characters", "Fields"], serials))
      <h3>Fields</h3>\(fields)</section>
      """
  }

  private static func alternatives(_ characters: [CharacterRead]) -> [HTML] {
    characters.enumerated().filter { !$1.alternatives.isEmpty }.map { place, character in
      let others = character.alternatives.map { "\($0.character) \(number($0.confidence))" }.joined(separator: ", ")
      return "<div>\(place + 1): \(character.character) \(number(character.confidence)), or \(others)</div>"
    }
  }

  private static func list(_ fields: [FieldRead]) -> HTML {
    let items = fields.map { field -> HTML in
      let check = field.check.map { $0 ? ", check digits hold" : ", check digits do not hold" } ?? ""
      return "<li>\(field.kind.rawValue): <code>\(field.text)</code> \(number(field.confidence))\(check)</li>"
    }
    return items.isEmpty ? "" : "<ul>\(items)</ul>"
  }

  // MARK: A pass

  private func pass(_ pass: ReadingExplanation.Pass, number: Int) -> HTML {
    let heading = number == 1 ? "" : "Pass \(number): "
    return """
      <section><h2>\(heading)The photo as it was read</h2>\(places(pass))</section>
      <section><h2>\(heading)Stages</h2>\(stages(pass))</section>
      <section><h2>\(heading)Strokes and lines</h2>\(strokes(pass))</section>
      <section><h2>\(heading)Lines as they were read</h2>\(lines(pass))</section>
      <section><h2>\(heading)Candidates</h2>\(candidates(pass))</section>
      <section><h2>\(heading)Judgement</h2>\(judgement(pass))</section>

      """
  }

  private func places(_ pass: ReadingExplanation.Pass) -> HTML {
    guard let decoded = try? pass.photo.workingPicture(), let back = decoded.toUploaded.inverse else {
      return "<p>The photo could not be decoded.</p>"
    }
    let (picture, seen) = (decoded.picture, pass.photo.textSeen)
    var shapes = seen.lines.map { Self.polygon($0.place.region, back, "line", $0.text) }
    shapes += seen.labels.map { Self.polygon($0.place.region, back, "label", $0.text) }
    shapes += seen.codes.compactMap { code in code.region.map { Self.polygon($0, back, "code", code.code.text) } }
    shapes += pass.candidates.compactMap { found in
      found.region.map { Self.polygon($0, back, "candidate", found.serial) }
    }
    for read in reading.serials {
      let verdict = read.verdict ?? reading.verdict
      shapes += read.allPlaces.map { Self.polygon(pass.photo.unplaced($0), back, verdict.rawValue, read.serial) }
    }
    return """
      <p class="key"><span class="kl">line read</span><span class="kb">serial's label</span><span class="kd">code</span>\
      <span class="kk">candidate or uncertain</span> Rest the pointer on a place to see what was read there.</p>
      \(Self.drawn(picture.jpeg(quality: 80), "image/jpeg", picture, shapes, "the photo upright, in gray"))
      """
  }

  private func stages(_ pass: ReadingExplanation.Pass) -> HTML {
    let rows = pass.trace.map { stage -> [HTML] in
      let lines = pass.lines.count { $0.strategy == stage.strategy }
      return [
        "<code>\(stage.strategy)</code>", "\(Self.number(stage.seconds))", "\(lines)", "\(stage.outcome)",
        "\(stage.serial ?? "")",
        "\(stage.confidence.map(Self.number) ?? "")",
      ]
    }
    return HTML.table(["Stage", "Seconds", "Lines read", "Result", "Best serial", "Confidence"], rows)
  }

  // MARK: Strokes and lines

  /// The most masks shown of a pass.
  private static let mostMasks = 8

  private func strokes(_ pass: ReadingExplanation.Pass) -> HTML {
    let found = pass.photo.textSeen.linesFound
    let shown = found.prefix(Self.mostMasks).map { found -> HTML in
      let (picture, strokes) = (found.decoded.picture, found.strokes)
      let turned = Orientation.right.storedFromUpright(width: picture.width, height: picture.height)
      let shapes =
        found.rows.map { Self.polygon($0, .identity, "line") }
        + found.columns.map { Self.polygon($0, turned, "column") }
      return """
        <h3>\(strokes.polarity.rawValue) strokes from \(Self.number(strokes.threshold)) of their ground on: \(found.rows.count) lines along rows, \
        \(found.columns.count) along columns</h3>
        \(Self.drawn(strokes.mask(of: picture).picture.png(), "image/png", picture, shapes, "mask of strokes"))
        """
    }
    let count = found.count - shown.count
    let rest: HTML = count > 0 ? "<p>\(count) further masks are not shown.</p>" : ""
    return """
      <p class="key"><span class="kl">along rows</span><span class="kc">along columns</span></p>
      \(shown)\(rest)
      """
  }

  // MARK: Lines

  private func lines(_ pass: ReadingExplanation.Pass) -> HTML {
    let left: HTML = pass.linesLeftOut > 0 ? "<p>\(pass.linesLeftOut) further lines are not shown.</p>" : ""
    let shown = pass.lines.enumerated().map { index, line -> HTML in
      """
      <figure class="cut">\(HTML.picture(line.cut.png(), type: "image/png", alternative: line.text.text))
      <figcaption>\(index + 1). <code>\(line.strategy)</code> “\(line.text.text)” \(Self.number(Double(line.text.meanConfidence)))</figcaption>
      \(Self.lattice(line.text))</figure>

      """
    }
    return
      "<p class=\"small\">The pixels that the recogniser got, what it read, and its mean confidence, 0 to 100.</p>\(shown)\(left)"
  }

  /// The probability below which an alternative of a character is left out.
  private static let leastProbability: Float = 0.02
  private static let printable = UInt8(ascii: "!")...UInt8(ascii: "~")
  /// Most serials that are shown for a line's end.
  private static let mostSerials = 6

  /// A table of the alternatives of each character, and of the serials that the line's end may be.
  private static func lattice(_ line: TextLine) -> HTML {
    guard !line.symbols.isEmpty else { return "" }
    let cells = line.symbols.enumerated().map { index, symbol -> [HTML] in
      let steps = line.lattice.map { $0.steps(of: index..<index + 1) } ?? []
      var best: [UInt8: Float] = [:]
      for choice in steps.joined() where printable.contains(choice.character) {
        best[choice.character] = max(best[choice.character] ?? 0, choice.probability)
      }
      let choices = best.filter { $0.value >= leastProbability }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      return [
        "<b>\(String(symbol.character))</b>", "\(number(Double(symbol.confidence)))",
        "\(choices.prefix(4).map { "<div>\(String(UnicodeScalar($0.key))) \(number(Double($0.value)))</div>" as HTML })",
      ]
    }
    let rows = (0..<3).map { row in "<tr>\(cells.map { "<td>\($0[row])</td>" as HTML })</tr>" as HTML }
    return """
      <details><summary>What each character may be</summary><div class="wide"><table class="lattice">\(rows)</table></div>
      \(serials(line))</details>
      """
  }

  private static func serials(_ line: TextLine) -> HTML {
    guard let value = ValueText(line), !value.steps.isEmpty else { return "" }
    let readings = LatticeDecoder(value.steps, readAs: value.text).readings
    let rows = readings.prefix(mostSerials).map { reading -> [HTML] in
      ["<code>\(String(decoding: reading.text, as: UTF8.self))</code>", "\(number(Double(reading.logProbability)))"]
    }
    return rows.isEmpty ? "" : HTML.table(["Serial that the lattice may be", "Logarithm of its probability"], rows)
  }

  // MARK: Candidates and judgement

  private func candidates(_ pass: ReadingExplanation.Pass) -> HTML {
    guard !pass.candidates.isEmpty else { return "<p>No strategy found one.</p>" }
    let rows = pass.candidates.map { found -> [HTML] in
      let features = (found.evidence.map(Calibration.features) ?? []).filter { $0.value != 0 }.map {
        "\($0.feature.rawValue) \(Self.number($0.value))"
      }
      return [
        "<code>\(found.serial)</code>", "\(found.strategy)", "\(found.method.rawValue)",
        "\(Self.number(found.confidence))",
        "\(features.joined(separator: ", "))", "\(Self.alternatives(found.evidence?.characters ?? []))",
      ]
    }
    return HTML.table(
      [
        "Serial", "Strategy", "Method", "Confidence", "What it rests on (features that are not 0)",
        "Doubtful characters",
      ], rows)
  }

  private func judgement(_ pass: ReadingExplanation.Pass) -> HTML {
    guard let judgement = pass.judgement, !judgement.fused.isEmpty else { return "<p>There is nothing to judge.</p>" }
    let names = judgement.steps(0).map(\.step)
    let rows = judgement.fused.indices.map { index -> [HTML] in
      let steps = judgement.steps(index)
      let cells = steps.indices.map { place -> HTML in
        let value = Self.number(steps[place].probability)
        return place > 0 && steps[place].probability != steps[place - 1].probability ? "<b>\(value)</b>" : "\(value)"
      }
      return ["<code>\(judgement.fused[index].serial)</code>"] + cells + [
        "\(judgement.answer(on: index)?.sentence ?? "not asked")"
      ]
    }
    return """
      <p class="small">The probability that each is the device's serial, after each step; what a step changed is bold.</p>
      \(HTML.table(["Serial"] + names + ["Second model"], rows))
      """
  }

  // MARK: Drawing

  private static func drawn(
    _ file: [UInt8]?, _ type: String, _ picture: GrayPicture, _ shapes: [HTML], _ alternative: String
  ) -> HTML {
    """
    <div class="photo">\(HTML.picture(file, type: type, alternative: alternative))\
    <svg viewBox="0 0 \(picture.width) \(picture.height)" preserveAspectRatio="none">\(shapes)</svg></div>
    """
  }

  private static func polygon(_ region: Quadrilateral, _ map: PixelTransform, _ kind: String, _ text: String) -> HTML {
    polygon(region.corners.map { map.apply(PlanePoint($0)) }, kind, text)
  }

  private static func polygon(_ line: TextSegment, _ map: PixelTransform, _ kind: String) -> HTML {
    let half = line.capitalHeight / 2
    func corner(_ x: Float, _ side: Float) -> PlanePoint {
      map.apply(Double(x), Double(line.y(at: x) + side * half))
    }
    let corners = [corner(line.left, -1), corner(line.right, -1), corner(line.right, 1), corner(line.left, 1)]
    return polygon(corners, kind, "\(line.count) strokes, capitals of \(number(Double(line.capitalHeight))) pixels")
  }

  private static func polygon(_ corners: [PlanePoint], _ kind: String, _ text: String) -> HTML {
    let points = corners.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
    return "<polygon class=\"\(kind)\" points=\"\(points)\"><title>\(text)</title></polygon>"
  }

  /// A number with at most three decimals.
  private static func number(_ value: Double) -> String {
    guard value.isFinite else { return "-" }
    var text = String(format: "%.3f", value)
    while text.hasSuffix("0") { text.removeLast() }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }
}

extension RunMask {
  /// The mask as a picture, strokes black on white.
  fileprivate var picture: GrayPicture {
    GrayPicture(width: width, height: height) { pixels in
      pixels.update(repeating: 255)
      for run in runs {
        for x in run.start..<run.end { pixels[Int(run.row) * width + Int(x)] = 0 }
      }
    }
  }
}

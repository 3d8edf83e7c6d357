import Foundation
import Imaging
import ScanModel
import SerialReading
import Testing

/// Covers: the page that explains a reading. It shows all evidence, runs and loads nothing, and does not change the result.
@Suite struct ExplanationTests {
  private static let request = ReadRequest(timeBudget: 20, limits: PictureLimits(maxPixels: 60_000_000))

  private static func photo(_ name: String) throws -> [UInt8] { try #require(try testPicture(name).png()) }

  @Test(arguments: ["etched_clean_1.jpg", "screen_clean_1.jpg", "sticker_qr.jpg"])
  func pageShowsSerialCropsStagesAndVerdict(name: String) throws {
    let serial = try #require(RegionTests.drawn.first { $0.name == name }).serial
    let reader = try makeReader()
    var cuts: [String] = []
    reader.observer = { line, cut in
      guard line.text.filter({ $0 != " " }).contains(serial), let png = cut.png() else { return }
      cuts.append(Data(png).base64EncodedString())
    }
    let (answer, page) = try explain(reader, Self.photo(name), Self.request, name: name)
    #expect(answer.reading.topSerial?.serial == serial)
    #expect(page.contains("<b class=\"\(answer.reading.verdict.rawValue)\">\(serial)</b>"))
    for cut in cuts { #expect(page.contains("src=\"data:image/png;base64,\(cut)\"")) }
    #expect(!cuts.isEmpty || name == "sticker_qr.jpg")
    for stage in answer.reading.trace { #expect(page.contains("<code>\(stage.strategy)</code>"), "\(stage.strategy)") }
    let candidates = try #require(page.range(of: "Candidates</h2>"))
    let judgement = try #require(page.range(of: "Judgement</h2>"))
    #expect(page[candidates.upperBound..<judgement.lowerBound].contains("<code>\(serial)</code>"))
    #expect(page[judgement.upperBound...].contains("<code>\(serial)</code>"))
    #expect(page.contains("src=\"data:image/jpeg;base64,"))
  }

  @Test func escapesPageContent() throws {
    let name = "<script>alert('1')</script>\"\u{7}.jpg"
    let page = try explain(makeReader(), Self.photo("no_serial_1.jpg"), Self.request, name: name).page
    #expect(page.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;\u{fffd}.jpg"))
    #expect(!page.contains("<script") && !page.contains("\u{7}"))
    #expect(page.contains("content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\""))
    #expect(!page.contains("src=\"http") && !page.contains("href="))
  }

  @Test func explainingDoesNotChangeTheReading() throws {
    let bytes = try Self.photo("screen_medium_1.jpg")
    let reader = try makeReader()
    let explained = try explain(reader, bytes, Self.request, name: "photo").answer.reading
    let plain = try reader.read(bytes, Self.request).reading
    #expect(explained.serials == plain.serials && explained.verdict == plain.verdict)
    #expect(explained.trace.map(\.outcome) == plain.trace.map(\.outcome))
  }

  @Test func explainsPhotoWithoutSerial() throws {
    let page = try explain(makeReader(), Self.photo("no_serial_1.jpg"), Self.request, name: "photo").page
    #expect(page.contains("No serial: nothing was read") && page.contains("mask of strokes"))
  }

  private func explain(
    _ reader: SerialReader, _ bytes: [UInt8], _ request: ReadRequest, name: String
  ) throws -> (answer: ReadAnswer, page: String) {
    var request = request
    request.explainedAs = name
    let answer = try reader.read(bytes, request)
    return (answer, String(decoding: try #require(answer.explanation), as: UTF8.self))
  }
}

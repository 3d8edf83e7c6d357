import ChildProcess
import Foundation
import ScanModel
import Support
import Testing

/// A compromised reader can send anything. The server continues, rejects invalid answers, and reads the next photo with a
/// new process.
@Suite(.serialized) struct LyingReaderTests {
  /// A reader whose requests are counted, since answers contain their numbers.
  private final class Liar {
    let reader: ReaderProcess
    var asked = 0

    init() throws { reader = try FaultyReaders.make() }

    /// The outcome of a photo whose reader sends these bytes.
    func outcome(
      ofSaying bytes: (_ id: Int) -> [UInt8], andExiting exits: Bool = false, wantsAnnotation: Bool = false,
      wantsThumbnail: Bool = false, wantsExplanation: Bool = false,
      deadline: Duration = .seconds(20), progress: @escaping @Sendable (ReadProgress) -> Void = { _ in }
    ) async -> Result<ReadAnswer, any Error> {
      asked += 1
      var request = ReadRequest(
        timeBudget: 10, limits: PictureLimits(maxPixels: 1_000_000), wantsAnnotation: wantsAnnotation,
        wantsThumbnail: wantsThumbnail)
      request.explainedAs = wantsExplanation ? "lid.jpg" : nil
      let photo = Array("say_\(exits ? "exit" : "on")_".utf8) + bytes(asked)
      do {
        return .success(try await reader.read(photo, request, deadline: deadline, progress: progress))
      } catch {
        return .failure(error)
      }
    }

    /// Whether the reader is killed for these bytes, and the next photo is read by another.
    func isCaught(
      saying bytes: (_ id: Int) -> [UInt8], wantsAnnotation: Bool = false, wantsThumbnail: Bool = false,
      wantsExplanation: Bool = false
    ) async throws -> Bool {
      let crashes = reader.status.crashes
      let outcome = await outcome(
        ofSaying: bytes, wantsAnnotation: wantsAnnotation, wantsThumbnail: wantsThumbnail,
        wantsExplanation: wantsExplanation)
      guard case .failure(let failure as ReadFailure) = outcome, failure.code == .readerCrashed else { return false }
      return reader.status.crashes == crashes + 1
    }

    func readsOn() async throws -> Bool {
      asked += 1
      return try await reader.read("good").topSerial?.serial == "C02G414GMD6N"
    }
  }

  /// Values in place of a number.
  private static let numbers = [
    "1e300", "-1e300", "1e999", "NaN", "-Infinity", "9223372036854775808", "-9223372036854775809",
    "18446744073709551616", "1e19", "true", #""7""#, "{}", "[]",
  ]

  private static func nested(_ depth: Int, _ open: String, _ close: String, around core: String = "") -> String {
    String(repeating: open, count: depth) + core + String(repeating: close, count: depth)
  }

  @Test func acceptsUnmodifiedAnswer() async throws {
    let liar = try Liar()
    let answer = try await liar.outcome(ofSaying: { Lie.frame(Lie().json(id: $0)) }).get()
    #expect(answer.reading.topSerial?.serial == "C02G414GMD6N" && answer.reading.trace.count == 1)
    #expect(answer.reading.topSerial?.region?.corners.first == PixelPoint(x: 10.5, y: 20))
    await liar.reader.stop()
  }

  @Test(arguments: [
    "confidence", "roiIndex", "x", "y", "width", "height", "processingTime", "cpuTime", "traceSeconds",
    "traceConfidence", "characterConfidence", "alternativeConfidence", "thumbnailBytes", "id",
  ])
  func rejectsInvalidNumbers(field: String) async throws {
    let liar = try Liar()
    let more = ["x", "y"].contains(field) ? [] : ["-1"] + (["width", "height"].contains(field) ? ["0"] : [])
    for lie in Self.numbers + more {
      #expect(
        try await liar.isCaught(saying: { Lie.frame(Lie([field: lie]).json(id: $0)) }), "\(field): \(lie)")
    }
    #expect(try await liar.readsOn())
    await liar.reader.stop()
  }

  @Test func rejectsProgressOutOfRange() async throws {
    let liar = try Liar()
    let told = Locked<[Double]>([])
    for lie in Self.numbers + ["-0.001", "1.001", "null"] {
      let outcome = await liar.outcome(ofSaying: { Lie.frame(Lie.step(id: $0, fraction: lie)) }) { step in
        told.withLock { $0.append(step.fraction) }
      }
      #expect(throws: ReadFailure.self, "\(lie)") { try outcome.get() }
    }
    #expect(told.withLock { $0 }.isEmpty)
    #expect(liar.reader.status.crashes == Self.numbers.count + 3)
    #expect(try await liar.readsOn())
    await liar.reader.stop()
  }

  @Test func rejectsInvalidTexts() async throws {
    let liar = try Liar()
    let long = "\"" + String(repeating: "A", count: 900_000) + "\""
    let lies: [(String, [String])] = [
      (
        "serial",
        [#""""#, #""c02g414gmd6n""#, #""C02 G414""#, #""C02\u0000""#, #""C02\n""#, "\"Ç02\"", long, "null", "7"]
      ),
      ("traceSerial", [#""<b>""#, long]), ("method", [#""""#, #""\u0007""#, long]), ("strategy", [#""""#, long]),
      ("strategyUsed", [#""""#, #""a\nb""#, long]), ("outcome", [#""\u0000""#, long]),
      ("note", [#""\u001b[2J""#, long]),
      ("verdict", [#""certain""#, "7"]), ("serials", ["[]", "null", "{}"]),
      ("serials", ["[" + Array(repeating: "SERIAL", count: 1_001).joined(separator: ",") + "]"]),
      ("trace", ["[" + Array(repeating: "TRACE", count: 1_001).joined(separator: ",") + "]"]),
      ("notes", ["[" + Array(repeating: "NOTE", count: 1_001).joined(separator: ",") + "]"]),
      ("corners", ["[]", "[CORNER,CORNER,CORNER]", "[CORNER,CORNER,CORNER,CORNER,CORNER]"]),
      ("corners", [Self.nested(200_000, "[", "]"), Self.nested(100_000, #"{"a":"#, "}", around: "1")]),
      ("width", ["333334"]), ("character", [#""""#, #""CC""#, #""\u0000""#, "7"]),
      ("characters", ["[" + Array(repeating: "CHARACTER", count: 13).joined(separator: ",") + "]"]),
      ("alternatives", ["[ALTERNATIVE,ALTERNATIVE,ALTERNATIVE,ALTERNATIVE]"]),
      ("refused", ["[SERIAL,SERIAL,SERIAL,SERIAL,SERIAL,SERIAL]"]),
      ("fields", [#"[{"kind":"imei","text":"356938035643808","confidence":0.9,"check":true}]"#]),
      (
        "fields",
        [#"[{"kind":"imei","text":"<b>","confidence":0.9}]"#, #"[{"kind":"age","text":"7","confidence":0.9}]"#]
      ),
      ("fields", [#"[{"kind":"emc","text":"3347","confidence":1.1}]"#]),
      (
        "fields",
        [#"[{"kind":"emc","text":"3347","confidence":0.9},{"kind":"emc","text":"3348","confidence":0.9}]"#]
      ),
      ("doubts", [#"[{"code":"","sentence":"."}]"#, #"[{"code":"a","sentence":"\u0007"}]"#]),
    ]
    for (field, values) in lies {
      for value in values {
        let caught = try await liar.isCaught(saying: { Lie.frame(Lie([field: value]).json(id: $0)) })
        #expect(caught, "\(field): \(value.prefix(40))")
      }
    }
    #expect(try await liar.readsOn())
    await liar.reader.stop()
  }

  @Test(arguments: ["PHOTO_MISSING", "READER_TIMED_OUT", "READER_OUT_OF_MEMORY", "READER_UNAVAILABLE", "MADE_UP"])
  func rejectsFailureUnrelatedToPhoto(code: String) async throws {
    let liar = try Liar()
    #expect(try await liar.isCaught { Lie.frame(Lie.failure(id: $0, code: code)) })
    #expect(try await liar.isCaught { Lie.frame(Lie.failure(id: $0, code: "DAMAGED_IMAGE", detail: #""\u0000""#)) })
    let honest = await liar.outcome(ofSaying: { Lie.frame(Lie.failure(id: $0, code: "DAMAGED_IMAGE")) })
    #expect(throws: ReadFailure(.damagedPicture, "It failed.")) { try honest.get() }
    await liar.reader.stop()
  }

  @Test func rejectsUnrequestedAttachment() async throws {
    let liar = try Liar()
    let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]
    #expect(try await liar.isCaught { Lie.frame(Lie().json(id: $0), attachment: png) })
    #expect(try await liar.isCaught { Lie.frame(Lie.step(id: $0), attachment: png) })
    #expect(try await liar.isCaught { Lie.frame(Lie.failure(id: $0, code: "DAMAGED_IMAGE"), attachment: png) })
    for picture in [Array("<svg>".utf8), Array(png.dropFirst())] {
      #expect(
        try await liar.isCaught(
          saying: { Lie.frame(Lie().json(id: $0), attachment: picture) }, wantsAnnotation: true))
    }
    let asked = await liar.outcome(
      ofSaying: { Lie.frame(Lie().json(id: $0), attachment: png) }, wantsAnnotation: true)
    #expect(try asked.get().annotation == png)
    await liar.reader.stop()
  }

  @Test func acceptsOnlyRequestedPagesAsExplanations() async throws {
    let liar = try Liar()
    let page = Array("<!doctype html>\n<p>How</p>".utf8)
    let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]
    #expect(try await liar.isCaught { Lie.frame(Lie().json(id: $0), attachment: page) })
    #expect(
      try await liar.isCaught(saying: { Lie.frame(Lie().json(id: $0), attachment: page) }, wantsAnnotation: true))
    #expect(
      try await liar.isCaught(saying: { Lie.frame(Lie().json(id: $0), attachment: png) }, wantsExplanation: true))
    let asked = await liar.outcome(
      ofSaying: { Lie.frame(Lie().json(id: $0), attachment: page) }, wantsExplanation: true)
    #expect(try asked.get().explanation == page && asked.get().annotation == nil)
    await liar.reader.stop()
  }

  @Test func acceptsOnlySmallRequestedJPEGThumbnails() async throws {
    let liar = try Liar()
    let (jpeg, png): ([UInt8], [UInt8]) = (
      [0xFF, 0xD8, 0xFF, 0xE0, 7], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]
    )
    func frame(_ id: Int, _ thumbnail: [UInt8], and more: [UInt8] = [], count: Int? = nil) -> [UInt8] {
      let json = Lie(["thumbnailBytes": "\(count ?? thumbnail.count)"]).json(id: id)
      return Lie.frame(json, attachment: thumbnail + more)
    }
    #expect(try await liar.isCaught { frame($0, jpeg) }, "not requested")
    let large = jpeg + [UInt8](repeating: 0, count: Thumbnail.mostBytes)
    for lie in [png, Array("<svg>".utf8), [0xFF, 0xD8, 0xFF], large] {
      #expect(try await liar.isCaught(saying: { frame($0, lie) }, wantsThumbnail: true))
    }
    #expect(try await liar.isCaught(saying: { frame($0, jpeg, count: 6) }, wantsThumbnail: true))
    #expect(try await liar.isCaught(saying: { frame($0, jpeg, and: [1]) }, wantsThumbnail: true))
    let both = await liar.outcome(
      ofSaying: { frame($0, jpeg, and: png) }, wantsAnnotation: true, wantsThumbnail: true)
    #expect(try both.get().thumbnail == jpeg && both.get().annotation == png)
    await liar.reader.stop()
    let silent = try Liar()
    let none = await silent.outcome(ofSaying: { frame($0, []) }, wantsThumbnail: true)
    #expect(try none.get().thumbnail == nil)
    await silent.reader.stop()
  }

  @Test func rejectsTruncatedFrames() async throws {
    let liar = try Liar()
    let length = Lie.frame(Lie().json(id: 1)).count
    for kept in [0, 1, 3, 4, 7, 8, 9] + stride(from: 50, to: length, by: 97) + [length - 1] {
      let outcome = await liar.outcome(
        ofSaying: { Array(Lie.frame(Lie().json(id: $0)).prefix(kept)) }, andExiting: true)
      #expect(throws: ReadFailure.self, "\(kept) of \(length) bytes") { try outcome.get() }
    }
    #expect(try await liar.readsOn())
    let last = liar.reader.status.processID
    let whole = await liar.outcome(ofSaying: { Lie.frame(Lie().json(id: $0)) }, andExiting: true)
    #expect(try whole.get().reading.topSerial != nil, "progress before the end counts")
    #expect(
      try await eventually { liar.reader.status.processID != last },
      "a photo given to a reader that is ending costs an attempt")
    #expect(try await liar.readsOn())
    await liar.reader.stop()
  }

  @Test func rejectsInvalidFrameLengths() async throws {
    let liar = try Liar()
    for length in [0, 1, (1 << 20) + 1, 1 << 31, Int(UInt32.max)] {
      #expect(
        try await liar.isCaught { Lie.frame(Lie().json(id: $0), messageLength: length) }, "message of \(length)")
    }
    for length in [(16 << 20) + 1, 1 << 31, Int(UInt32.max)] {
      #expect(
        try await liar.isCaught { Lie.frame(Lie().json(id: $0), attachmentLength: length) }, "attachment of \(length)")
    }
    // Missing bytes are awaited until the deadline of the photo.
    let late = await liar.outcome(
      ofSaying: { Lie.frame(Lie().json(id: $0), attachmentLength: 7) }, deadline: .milliseconds(500))
    #expect((late.failure as? ReadFailure)?.code == .readerTimedOut)
    #expect(try await liar.readsOn())
    await liar.reader.stop()
  }

  @Test func rejectsAnswersOutOfOrder() async throws {
    let liar = try Liar()
    #expect(try await liar.isCaught { _ in Lie.frame(#""ready""#) })
    #expect(try await liar.isCaught { _ in Lie.frame(#"{"ready":{}}"#) })
    #expect(try await liar.isCaught { Lie.frame(Lie().json(id: $0 - 1)) })
    #expect(try await liar.isCaught { Lie.frame(Lie().json(id: $0 + 1)) })
    // A second answer, intended for the next photo. The reader may be replaced before that is sent.
    #expect(try await liar.readsOn())
    let before = liar.reader.status.starts
    let forged = Lie(["serial": #""C02FORGED""#])
    let first = await liar.outcome(ofSaying: {
      Lie.frame(Lie().json(id: $0)) + Lie.frame(forged.json(id: $0 + 1))
    })
    #expect(try first.get().reading.topSerial?.serial == "C02G414GMD6N")
    #expect(try await liar.readsOn())
    #expect(liar.reader.status.starts == before + 1)
    await liar.reader.stop()
  }

  @Test func endlessProgressEndsAtDeadline() async throws {
    let reader = try FaultyReaders.make()
    #expect(await reader.failure(of: "dribble", deadline: .seconds(1)) == .readerTimedOut)
    #expect(try await reader.read("good").topSerial != nil)
    await reader.stop()
  }
}

extension Result {
  fileprivate var failure: (any Error)? {
    if case .failure(let error) = self { error } else { nil }
  }
}

import MultipartParsing
import Testing

/// Covers: fields and files; bodies split at every byte; content that looks like the boundary; empty parts; preamble,
/// padding and epilogue; quoted names; every error; random bodies against a slow reference; random bytes.
@Suite struct MultipartParserTests {
  struct Part: Equatable {
    var name: String
    var fileName: String?
    var content: [UInt8] = []
    var isComplete = false
  }

  static func parse(
    _ body: [UInt8], boundary: String = "B", cuts: [Int] = [], limits: MultipartParser.Limits = .init()
  ) throws -> [Part] {
    var parser = MultipartParser(boundary: boundary, limits: limits)
    var parts: [Part] = []
    var start = 0
    for end in cuts + [body.count] {
      try Array(body[start..<end]).withUnsafeBytes { bytes in
        try parser.push(bytes) { event in
          switch event {
          case .begin(let headers): parts.append(Part(name: headers.name ?? "", fileName: headers.fileName))
          case .content(let bytes): parts[parts.count - 1].content += Array(bytes)
          case .end: parts[parts.count - 1].isComplete = true
          }
        }
      }
      start = end
    }
    try parser.finish()
    return parts
  }

  /// The text with CR LF for each LF.
  static func body(_ text: String) -> [UInt8] {
    text.utf8.flatMap { $0 == UInt8(ascii: "\n") ? [UInt8(ascii: "\r"), $0] : [$0] }
  }

  static let form = body(
    """
    --B
    Content-Disposition: form-data; name="preset"

    etched
    --B
    Content-Disposition: form-data; name="image"; filename="a; \\"b\\".jpg"
    Content-Type: image/jpeg

    \r\r\n--\r\n--A\r\n-\n\n--C\r
    --B--
    and an epilogue
    """)

  static let formParts = [
    Part(name: "preset", fileName: nil, content: Array("etched".utf8), isComplete: true),
    Part(
      name: "image", fileName: "a; \"b\".jpg", content: body("\r\r\n--\r\n--A\r\n-\n\n--C\r"), isComplete: true),
  ]

  @Test func parsesForm() throws {
    #expect(try Self.parse(Self.form) == Self.formParts)
  }

  @Test func resultIsIndependentOfChunking() throws {
    for first in 0...Self.form.count {
      #expect(try Self.parse(Self.form, cuts: [first]) == Self.formParts)
    }
    #expect(try Self.parse(Self.form, cuts: Array(0...Self.form.count)) == Self.formParts)
  }

  @Test func rejectsTruncatedBody() {
    let end = Self.form.count - Self.body("\nand an epilogue").count
    for length in 0..<end {
      #expect(throws: MultipartError.self) { try Self.parse(Array(Self.form[..<length])) }
    }
  }

  @Test func acceptsEmptyParts() throws {
    let header = "Content-Disposition: form-data; name=a\n"
    for text in ["--B\n\(header)\n\n--B--", "--B\n\(header)\n--B--"] {
      let parts = try Self.parse(Self.body(text))
      #expect(parts == [Part(name: "a", isComplete: true)])
    }
    #expect(try Self.parse(Self.body("--B--")).isEmpty)
  }

  @Test func skipsPreambleAndPadding() throws {
    let text = "hello\n--A\n--B \t \nContent-Disposition: form-data;\n name=\"a\"\n\n1\n--B--\n"
    #expect(try Self.parse(Self.body(text)) == [Part(name: "a", content: Array("1".utf8), isComplete: true)])
  }

  @Test func reportsTheProblem() {
    let header = "--B\nContent-Disposition: form-data; name=a\n"
    func error(_ text: String) -> MultipartError? {
      #expect(throws: MultipartError.self) { try Self.parse(Self.body(text)) }
    }
    #expect(error("") == .noBoundary)
    #expect(error("no boundary at all") == .noBoundary)
    #expect(error(String(repeating: "x", count: 20_000)) == .noBoundary)
    #expect(error("\(header)X: \(String(repeating: "x", count: 17_000))\n\n1\n--B--") == .headersTooLong(16_384))
    #expect(error(String(repeating: "\(header)\n1\n", count: 40) + "--B--") == .tooManyParts(32))
    #expect(error("\(header)\nabc") == .incomplete)
    #expect(error("--Bx\n") == .malformed("a boundary is not followed by a line end"))
    #expect(error("--B\nContent-Type: text/plain\n\n1\n--B--") != nil)
    #expect(error("--B\nno colon\n\n1\n--B--") != nil)
    #expect(error("\(header)Content-Transfer-Encoding: base64\n\nMTIz\n--B--") != nil)
  }

  /// The file name of a part with this parameter in its header.
  private static func fileName(_ parameter: [UInt8]) throws -> String? {
    let head = body("--B\nContent-Disposition: form-data; name=image; ")
    return try parse(head + parameter + body("\n\n1\n--B--")).first?.fileName
  }

  @Test(arguments: [
    ("filename=\"Büro.jpg\"", "Büro.jpg"),
    // RFC 2047, in base64 and quoted, one word and two.
    ("filename=\"=?UTF-8?B?QsO8cm8uanBn?=\"", "Büro.jpg"),
    ("filename=\"=?utf-8?q?B=C3=BCro_1.jpg?=\"", "Büro 1.jpg"),
    ("filename=\"=?ISO-8859-1?Q?B=FC?= =?ISO-8859-1?Q?ro.jpg?=\"", "Büro.jpg"),
    // Invalid encoded words stay unchanged.
    ("filename=\"=?nothing\"", "=?nothing"), ("filename=\"=?UTF-8?B?*?=\"", "=?UTF-8?B?*?="),
    // RFC 8187 takes precedence.
    ("filename=\"B_ro.jpg\"; filename*=UTF-8''B%C3%BCro.jpg", "Büro.jpg"),
    ("filename*=iso-8859-1'de'B%FCro.jpg; filename=x", "Büro.jpg"),
    ("filename=\"a.jpg\"; filename*=odd", "a.jpg"), ("filename*=UTF-8''%GG%", "%GG%"),
    // A backslash escapes quotes and itself, and is a backslash in a path.
    (#"filename="C:\photos\a.jpg""#, #"C:\photos\a.jpg"#), (#"filename="a\\b\"c.jpg""#, #"a\b"c.jpg"#),
  ])
  func decodesFileNames(parameter: String, name: String) throws {
    #expect(try Self.fileName(Array(parameter.utf8)) == name)
  }

  @Test func acceptsFileNamesOfAnyBytes() throws {
    let windows = Array("filename=\"B".utf8) + [0xFC, 0x80] + Array("ro.jpg\"".utf8)
    #expect(try Self.fileName(windows) == "Bü€ro.jpg")
    for byte in UInt8(0x80)...0xFF {
      let name = try Self.fileName(Array("filename=\"a".utf8) + [byte] + Array("b\"".utf8))
      #expect(name?.unicodeScalars.count == 3, "\(byte)")
    }
  }

  @Test func ignoresUnnamedEmptyPart() throws {
    let (header, image) = (
      "--B\nContent-Disposition: form-data", "--B\nContent-Disposition: form-data; name=image\n\n1\n"
    )
    for nameless in ["", "; name=\"\"", "; filename=\"\""] {
      let parts = try Self.parse(Self.body("\(header)\(nameless)\n\n\n\(image)\(header)\(nameless)\n\n\n--B--"))
      #expect(parts == [Part(name: "image", content: Array("1".utf8), isComplete: true)], "\(nameless)")
      #expect(throws: MultipartError.malformed("a part with content has no name")) {
        try Self.parse(Self.body("\(header)\(nameless)\n\n1\n--B--"))
      }
    }
  }

  @Test(arguments: [
    ("multipart/form-data; boundary=abc", "abc"), ("multipart/form-data; boundary=\"a b;c\"", "a b;c"),
    ("multipart/form-data; charset=utf-8; BOUNDARY=x ", "x"), ("multipart/form-data", nil),
    ("multipart/form-data; boundary=", nil), ("multipart/form-data; boundary=\"\"", nil),
    ("multipart/form-data; boundary=" + String(repeating: "a", count: 71), nil),
  ])
  func findsTheBoundary(contentType: String, boundary: String?) {
    #expect(MultipartParser.boundary(ofContentType: contentType) == boundary)
  }

  @Test func agreesWithReferenceOnRandomContent() throws {
    // Few distinct bytes, so that content often looks like the start of a delimiter.
    let alphabet = Array("\r\n-Bx".utf8)
    for _ in 0..<3000 {
      let content = (0..<Int.random(in: 0..<60)).map { _ in alphabet.randomElement() ?? 0 }
      guard !(Self.body("\n") + content + Self.body("\n--B")).dropLast(5).contains(Array("\r\n--B".utf8)) else {
        continue
      }
      let whole = Self.body("--B\nContent-Disposition: form-data; name=a\n\n") + content + Self.body("\n--B--\n")
      let cuts = (0..<3).map { _ in Int.random(in: 0...whole.count) }.sorted()
      let parts = try Self.parse(whole, cuts: cuts)
      #expect(parts == [Part(name: "a", content: content, isComplete: true)])
    }
  }

  @Test func survivesRandomBytes() {
    for _ in 0..<2000 {
      var bytes = Self.form
      for _ in 0..<Int.random(in: 1...8) { bytes[Int.random(in: 0..<bytes.count)] = UInt8.random(in: 0...255) }
      let parts = try? Self.parse(bytes, cuts: [Int.random(in: 0...bytes.count)])
      #expect(parts?.allSatisfy(\.isComplete) ?? true)
    }
  }
}

extension Array where Element: Equatable {
  func contains(_ other: [Element]) -> Bool {
    count >= other.count && (0...(count - other.count)).contains { Array(self[$0..<$0 + other.count]) == other }
  }
}

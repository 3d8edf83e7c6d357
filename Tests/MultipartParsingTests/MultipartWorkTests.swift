import MultipartParsing
import Testing

/// The steps of parsing a form: twice the hostile bytes cost at most twice the steps.
@Suite struct MultipartWorkTests {
  /// Texts that are repeated in a part's content, before its last boundary, or in its headers.
  static let contents = ["\r", "\n", "\r\n", "\r\n--", "\r\n--boundar", "\r\n--boundary-x", "-", "x", "\r\r\n-"]

  private static func steps(_ text: String) -> Int {
    var parser = MultipartParser(boundary: "boundaryy", limits: .init(headerBytes: 1 << 20, parts: 1 << 20))
    var bytes = Array(text.utf8)
    bytes.withUnsafeMutableBytes { bytes in try? parser.push(UnsafeRawBufferPointer(bytes)) { _ in } }
    return parser.steps
  }

  private static let head = "--boundaryy\r\nContent-Disposition: form-data; name=\"image\""

  @Test(arguments: contents) func doubleContentCostsAtMostDoubleWork(unit: String) {
    let once = Self.steps(Self.head + "\r\n\r\n" + String(repeating: unit, count: 10_000))
    let twice = Self.steps(Self.head + "\r\n\r\n" + String(repeating: unit, count: 20_000))
    #expect(once > 0 && twice <= 2 * once, "\(once), then \(twice)")
    #expect(twice <= 2 * 20_000 * unit.utf8.count + 1000)
  }

  @Test(arguments: ["\r\n a=b;", "\r\nX: y", ";", "x", "\r\n "]) func doubleHeadersCostAtMostDoubleWork(unit: String) {
    let once = Self.steps(Self.head + String(repeating: unit, count: 10_000) + "\r\n\r\n")
    let twice = Self.steps(Self.head + String(repeating: unit, count: 20_000) + "\r\n\r\n")
    #expect(once > 0 && twice <= 2 * once, "\(once), then \(twice)")
  }

  @Test func doublePartsCostAtMostDoubleWork() {
    let part = Self.head + "\r\n\r\nx\r\n"
    let once = Self.steps(String(repeating: part, count: 1000))
    #expect(once > 0 && Self.steps(String(repeating: part, count: 2000)) <= 2 * once)
  }
}

/// An incremental parser of `multipart/form-data` bodies (RFC 7578, RFC 2046 section 5.1).
///
/// Push bytes in pieces of any size; the parser reports parts as events. Content is passed on as it arrives and is
/// never kept: the state is a few numbers and the current part's headers, at most `Limits.headerBytes`.
public struct MultipartParser: Sendable {
  /// The limits on a body.
  public struct Limits: Sendable {
    /// The maximum bytes of one part's headers, including line ends.
    public var headerBytes: Int
    /// The maximum number of parts.
    public var parts: Int
    /// The maximum bytes before the first boundary.
    public var preambleBytes: Int

    /// Creates limits.
    public init(headerBytes: Int = 16 * 1024, parts: Int = 32, preambleBytes: Int = 16 * 1024) {
      self.headerBytes = headerBytes
      self.parts = parts
      self.preambleBytes = preambleBytes
    }
  }

  /// A parse event.
  public enum Event {
    /// A part begins.
    case begin(PartHeaders)
    /// A piece of the part's content; the buffer is valid only during the call.
    case content(UnsafeRawBufferPointer)
    /// The part is complete.
    case end
  }

  private enum State {
    case preamble
    case afterBoundary
    case afterDash
    case padding
    case afterCarriageReturn
    case headers
    case content
    case epilogue
  }

  private static let carriageReturn = UInt8(ascii: "\r")
  private static let lineFeed = UInt8(ascii: "\n")

  private let limits: Limits
  /// CR LF, two dashes and the boundary. CR occurs only at its start, so a failed match can restart only at a CR.
  private let delimiter: [UInt8]
  private var state = State.preamble
  /// Bytes of the delimiter matched so far. The start of the body and the blank line after the headers count as the
  /// line end that a delimiter needs.
  private var matched = 2
  /// How many matched bytes did not come from the content; they are not emitted when the match fails.
  private var borrowed = 2
  private var headerBytes: [UInt8] = []
  private var parts = 0
  /// Whether the current part has no name. An unnamed part is ignored if it is empty.
  private var isNameless = false
  private var skipped = 0
  /// The bytes examined individually plus the pieces skipped, as a measure of work: tests compare it with the bytes
  /// pushed.
  package private(set) var steps = 0

  /// Creates a parser for a boundary; see ``boundary(ofContentType:)``.
  public init(boundary: String, limits: Limits = Limits()) {
    self.limits = limits
    delimiter = Array("\r\n--\(boundary)".utf8)
  }

  /// Whether the final boundary was found.
  public var isComplete: Bool { state == .epilogue }

  /// Parses the next bytes and reports their events. Don't use the parser after an error.
  public mutating func push(_ bytes: UnsafeRawBufferPointer, _ handle: (Event) throws -> Void) throws {
    var index = 0
    while index < bytes.count {
      switch state {
      case .preamble, .content:
        index = try scan(bytes, from: index, handle)
      case .epilogue:
        return
      default:
        try parse(bytes[index], handle)
        index += 1
      }
    }
  }

  /// Ends the input. Throws if the final boundary is missing.
  public func finish() throws(MultipartError) {
    switch state {
    case .epilogue: return
    case .preamble where parts == 0: throw .noBoundary
    default: throw .incomplete
    }
  }

  /// Searches content or preamble for the delimiter. Returns the index after the consumed bytes.
  private mutating func scan(
    _ bytes: UnsafeRawBufferPointer, from start: Int, _ handle: (Event) throws -> Void
  ) throws -> Int {
    var index = start
    var contentStart = start
    while index < bytes.count {
      steps += 1
      if matched == 0 {
        guard let next = bytes[index...].firstIndex(of: Self.carriageReturn) else {
          index = bytes.count
          break
        }
        try give(UnsafeRawBufferPointer(rebasing: bytes[contentStart..<next]), handle)
        matched = 1
        borrowed = 0
        index = next + 1
        contentStart = index
      } else if bytes[index] == delimiter[matched] {
        matched += 1
        index += 1
        contentStart = index
        if matched == delimiter.count {
          try endContent(handle)
          return index
        }
      } else {
        try delimiter[borrowed..<max(borrowed, matched)].withUnsafeBytes { try give($0, handle) }
        matched = 0
        borrowed = 0
        contentStart = index
      }
    }
    if matched == 0 { try give(UnsafeRawBufferPointer(rebasing: bytes[contentStart..<index]), handle) }
    return index
  }

  private mutating func give(_ bytes: UnsafeRawBufferPointer, _ handle: (Event) throws -> Void) throws {
    guard !bytes.isEmpty else { return }
    if state == .content {
      if isNameless { throw MultipartError.malformed("a part with content has no name") }
      return try handle(.content(bytes))
    }
    skipped += bytes.count
    if skipped > limits.preambleBytes { throw MultipartError.noBoundary }
  }

  private mutating func endContent(_ handle: (Event) throws -> Void) throws {
    if state == .content, !isNameless { try handle(.end) }
    state = .afterBoundary
    matched = 0
    skipped = 0
  }

  /// Parses one byte of the boundary line or of the headers.
  private mutating func parse(_ byte: UInt8, _ handle: (Event) throws -> Void) throws {
    steps += 1
    switch (state, byte) {
    case (.afterBoundary, UInt8(ascii: "-")): state = .afterDash
    case (.afterDash, UInt8(ascii: "-")): state = .epilogue
    case (.afterBoundary, Self.carriageReturn), (.padding, Self.carriageReturn): state = .afterCarriageReturn
    case (.afterBoundary, UInt8(ascii: " ")), (.afterBoundary, UInt8(ascii: "\t")),
      (.padding, UInt8(ascii: " ")), (.padding, UInt8(ascii: "\t")):
      state = .padding
      skipped += 1
      if skipped > limits.headerBytes { throw MultipartError.malformed("the line of a boundary does not end") }
    case (.afterCarriageReturn, Self.lineFeed):
      parts += 1
      if parts > limits.parts { throw MultipartError.tooManyParts(limits.parts) }
      headerBytes.removeAll(keepingCapacity: true)
      state = .headers
    case (.headers, _): try takeHeader(byte, handle)
    default: throw MultipartError.malformed("a boundary is not followed by a line end")
    }
  }

  private mutating func takeHeader(_ byte: UInt8, _ handle: (Event) throws -> Void) throws {
    guard headerBytes.count < limits.headerBytes else { throw MultipartError.headersTooLong(limits.headerBytes) }
    headerBytes.append(byte)
    guard byte == Self.lineFeed, endsWithBlankLine else { return }
    let headers = try PartHeaders(headerBytes)
    headerBytes.removeAll(keepingCapacity: true)
    state = .content
    matched = 2
    borrowed = 2
    isNameless = headers.name?.isEmpty ?? true
    if !isNameless { try handle(.begin(headers)) }
  }

  /// Whether the last line is an empty one (CR LF only). Compares single bytes, because a slice would copy the headers
  /// for each line.
  private var endsWithBlankLine: Bool {
    let count = headerBytes.count
    guard count >= 2, headerBytes[count - 2] == Self.carriageReturn else { return false }
    return count == 2
      || (count >= 4 && headerBytes[count - 3] == Self.lineFeed && headerBytes[count - 4] == Self.carriageReturn)
  }

  /// Returns the boundary in a Content-Type; nil if it is missing or not 1 to 70 characters long (RFC 2046).
  public static func boundary(ofContentType contentType: String) -> String? {
    guard let value = HeaderParameters(contentType).text("boundary"), (1...70).contains(value.utf8.count),
      value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), value.last != " "
    else { return nil }
    return value
  }
}

/// The reasons for which a body is invalid.
public enum MultipartError: Error, Sendable, Equatable {
  /// The body does not start with the Content-Type's boundary.
  case noBoundary
  /// The body ends before its final boundary.
  case incomplete
  /// A part's headers are longer than this many bytes.
  case headersTooLong(Int)
  /// There are more parts than this.
  case tooManyParts(Int)
  /// Any other error, as a clause for messages.
  case malformed(String)
}

/// Fuzzes the multipart parser: for any bytes in any pieces, the events must be the same, the content must not exceed
/// the input, and no read may be out of bounds (checked by the address sanitizer).
private struct Seen: Equatable {
  var parts: [PartHeaders] = []
  var contents: [[UInt8]] = []
  var ended = 0
  var error: MultipartError?
  var isComplete = false
}

private func parse(_ bytes: UnsafeRawBufferPointer, cutEvery step: Int) -> Seen {
  var parser = MultipartParser(boundary: "b")
  var seen = Seen()
  do {
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + step)
      try parser.push(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) { event in
        switch event {
        case .begin(let headers):
          seen.parts.append(headers)
          seen.contents.append([])
        case .content(let content):
          precondition(!seen.contents.isEmpty, "content before a part")
          seen.contents[seen.contents.count - 1] += content
        case .end: seen.ended += 1
        }
      }
      start = end
    }
    try parser.finish()
  } catch let error as MultipartError {
    seen.error = error
  } catch {
    preconditionFailure("\(error)")
  }
  seen.isComplete = parser.isComplete
  return seen
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMultipart(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeRawBufferPointer(start: data, count: count)
  let whole = parse(bytes, cutEvery: max(1, count))
  precondition(whole.ended <= whole.parts.count)
  precondition(whole.contents.reduce(0) { $0 + $1.count } <= count)
  precondition(!whole.isComplete || whole.ended == whole.parts.count)
  for step in [1, 2, 3, 7] {
    precondition(parse(bytes, cutEvery: step) == whole, "cut every \(step)")
  }
  let text = String(decoding: bytes.prefix(200), as: UTF8.self)
  _ = MultipartParser.boundary(ofContentType: text)
  return 0
}

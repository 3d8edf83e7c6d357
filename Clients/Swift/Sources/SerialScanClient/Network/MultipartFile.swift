import Foundation

/// A form with a photo, written to a temporary file.
///
/// URLSession streams the file, and can send it again after a broken connection. The photo is never completely in
/// memory.
struct MultipartFile {
  let url: URL
  let contentType: String

  /// Writes the form to a folder. Throws ``ErrorCode/fileUnreadable`` or ``ErrorCode/fileNotWritten``.
  init(image: ImageSource, fields: [(String, String)], in folder: URL = FileManager.default.temporaryDirectory) throws {
    try self.init(
      image: image, fields: fields, at: folder.appendingPathComponent("serialscan-\(UUID().uuidString).form"))
  }

  /// Writes the form to the file at `url`.
  init(image: ImageSource, fields: [(String, String)], at url: URL) throws {
    self.url = url
    let boundary = "serialscan-\(UUID().uuidString)"
    contentType = "multipart/form-data; boundary=\(boundary)"
    do {
      try Data().write(to: url)
      let output = try FileHandle(forWritingTo: url)
      defer { try? output.close() }
      for (name, value) in fields {
        try output.write(contentsOf: Self.part(boundary, "name=\"\(name)\"", value + "\r\n"))
      }
      let filename = Self.quoted(image.filename)
      try output.write(contentsOf: Self.part(boundary, "name=\"image\"; filename=\"\(filename)\"", ""))
      switch image {
      case .data(let data, _): try output.write(contentsOf: data)
      case .file(let photo, _): try copy(photo, to: output)
      }
      try output.write(contentsOf: Data("\r\n--\(boundary)--\r\n".utf8))
    } catch {
      remove()
      throw (error as? SerialScanError) ?? .notWritten(url, error)
    }
  }

  func remove() { try? FileManager.default.removeItem(at: url) }

  /// Builds a form in memory, for small video frames.
  static func data(image: Data, fields: [(String, String)]) -> (body: Data, contentType: String) {
    let boundary = "serialscan-\(UUID().uuidString)"
    var body = Data()
    for (name, value) in fields { body += part(boundary, "name=\"\(name)\"", value + "\r\n") }
    body += part(boundary, "name=\"image\"; filename=\"frame\"", "")
    body += image
    body += Data("\r\n--\(boundary)--\r\n".utf8)
    return (body, "multipart/form-data; boundary=\(boundary)")
  }

  private static func part(_ boundary: String, _ name: String, _ content: String) -> Data {
    Data("--\(boundary)\r\nContent-Disposition: form-data; \(name)\r\n\r\n\(content)".utf8)
  }

  /// Escapes a file name as browsers do in a form.
  private static func quoted(_ name: String) -> String {
    name.replacingOccurrences(of: "\"", with: "%22").replacingOccurrences(of: "\r", with: "%0D")
      .replacingOccurrences(of: "\n", with: "%0A")
  }
}

/// Appends a file's bytes in pieces. Throws ``ErrorCode/fileUnreadable`` if reading `file` fails.
func copy(_ file: URL, to output: FileHandle) throws {
  let input: FileHandle
  do { input = try FileHandle(forReadingFrom: file) } catch { throw SerialScanError.unreadable(file: file, error) }
  defer { try? input.close() }
  var isAtEnd = false
  while !isAtEnd {
    // On Apple platforms each piece is freed only with its autorelease pool.
    isAtEnd = try withPool {
      let piece: Data
      do { piece = try input.read(upToCount: 256 * 1024) ?? Data() } catch {
        throw SerialScanError.unreadable(file: file, error)
      }
      try output.write(contentsOf: piece)
      return piece.isEmpty
    }
  }
}

private func withPool<Value>(_ work: () throws -> Value) rethrows -> Value {
  #if canImport(ObjectiveC)
    return try autoreleasepool(invoking: work)
  #else
    return try work()
  #endif
}

import Foundation
import Hummingbird
import NIOCore

/// A file that is sent piece by piece, read on the storage's threads.
struct FileAnswer: Sendable {
  private static let pieceSize = 256 * 1024

  private let file: OpenFile
  private let storage: PhotoStorage

  /// Bytes of the file.
  var size: Int { file.size }

  /// Opens a file; nil where there is none.
  init?(path: String, storage: PhotoStorage) async throws {
    guard let file = try await storage.onThread({ OpenFile(path: path) }) else { return nil }
    self.file = file
    self.storage = storage
  }

  /// The answer with the file as its body; as a download where it has a name.
  func response(contentType: String, downloadName: String? = nil) -> Response {
    var headers: HTTPFields = [.contentType: contentType, .cacheControl: "no-store"]
    if let downloadName { headers[.contentDisposition] = "attachment; filename=\"\(downloadName)\"" }
    let body = ResponseBody(contentLength: file.size) { [self] writer in
      try await write(to: &writer)
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: headers, body: body)
  }

  /// Writes the file into an answer, and leaves the answer open.
  func write(to writer: inout some ResponseBodyWriter) async throws {
    var offset = 0
    while offset < file.size {
      let start = offset
      let piece = try await storage.onThread { [file] in
        try file.read(at: start, count: min(Self.pieceSize, file.size - start))
      }
      try await writer.write(piece)
      offset += piece.readableBytes
    }
  }

  /// A descriptor that is closed with its last reference. The file may be deleted meanwhile: it is read to its end.
  private final class OpenFile: Sendable {
    let size: Int
    private let descriptor: CInt

    init?(path: String) {
      descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { return nil }
      var status = stat()
      guard fstat(descriptor, &status) == 0 else {
        close(descriptor)
        return nil
      }
      size = Int(clamping: status.st_size)
    }

    deinit { close(descriptor) }

    func read(at offset: Int, count: Int) throws -> ByteBuffer {
      var buffer = ByteBufferAllocator().buffer(capacity: count)
      let got = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
        max(0, pread(descriptor, bytes.baseAddress, count, off_t(clamping: offset)))
      }
      guard got > 0 else { throw APIError.storageUnavailable }
      return buffer
    }
  }
}

import BlobFiles
import Foundation
import Hummingbird
import JobStore
import NIOCore

/// A stored file that is sent in pieces.
struct FileAnswer: Sendable {
  private static let pieceSize = 256 * 1024

  private let file: any OpenBlob

  /// The size of the file in bytes.
  var size: Int { file.size }

  /// Opens a blob; nil if it does not exist.
  init?(_ name: BlobName, in blobs: any BlobStore) async throws {
    guard let file = try await blobs.open(name) else { return nil }
    self.file = file
  }

  /// Opens a local file; nil if it does not exist.
  init?(path: String) async throws {
    guard let file = try await OpenFile.open(path: path) else { return nil }
    self.file = file
  }

  /// Returns a response with the file as its body; a download if `downloadName` is given.
  func response(contentType: String, downloadName: String? = nil) -> Response {
    var headers: HTTPFields = [.contentType: contentType, .cacheControl: "no-store"]
    if let downloadName { headers[.contentDisposition] = "attachment; filename=\"\(downloadName)\"" }
    let body = ResponseBody(contentLength: file.size) { [self] writer in
      try await write(to: &writer)
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: headers, body: body)
  }

  /// Writes the file to a response, and leaves the response open.
  func write(to writer: inout some ResponseBodyWriter) async throws {
    var offset = 0
    while offset < file.size {
      let piece = try await file.read(at: offset, count: Self.pieceSize)
      guard !piece.isEmpty else { throw APIError.storageUnreadable }
      try await writer.write(ByteBuffer(bytes: piece))
      offset += piece.count
    }
  }
}

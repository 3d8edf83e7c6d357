import Evaluations
import Exports
import Foundation
import Hummingbird
import JobStore
import NIOCore

/// `GET /export/pictures`: the confirmed photos as a labelled folder for evaluations, in a tar archive.
///
/// The archive is streamed while it is generated, so it is never complete on disk or in memory.
struct ConfirmedPictures: Sendable {
  private static let batch = 200

  let store: any ServerStore

  var endpoint: Endpoint {
    Endpoint(
      .get, "/export/pictures", "FetchConfirmedPictures", "Download the confirmed photos",
      "The confirmed photos that retention has not deleted, with `labels.csv`: a folder for `/evaluate`, as a "
        + "tar archive.",
      topic: .serials, access: .admin, answers: [.content(.file("application/x-tar"))], handler: answer)
  }

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    // Fetched before the response starts, so that a store error can still be reported by a status.
    let first = try await page(after: nil)
    let body = ResponseBody { [self] writer in
      var labels = "filename,serial,preset\r\n"
      // A photo that was sent again is confirmed with its first job. It is listed once.
      var listed: Set<String> = []
      var page = first
      while true {
        for job in page.items {
          let photo = job.duplicateOf ?? job.id
          guard let serial = job.confirmedSerial, !listed.contains(photo),
            let file = try await FileAnswer(BlobName(.photo, job.request.photo), in: store.blobs)
          else { continue }
          listed.insert(photo)
          let name = Self.name(of: job)
          try await writer.write(
            ByteBuffer(bytes: TarArchive.header(name: "confirmed/\(name)", size: file.size, modifiedAt: job.createdAt)))
          try await file.write(to: &writer)
          try await writer.write(ByteBuffer(bytes: TarArchive.padding(after: file.size)))
          labels += "\(name),\(serial),\((job.reading?.preset ?? job.request.preset)?.rawValue ?? "")\r\n"
        }
        guard let cursor = page.nextCursor else { break }
        page = try await self.page(after: cursor)
      }
      // The labels come last, so that they name what is in the archive: a photo may have been deleted meanwhile.
      let bytes = Array(labels.utf8)
      try await writer.write(
        ByteBuffer(bytes: TarArchive.header(name: "confirmed/labels.csv", size: bytes.count, modifiedAt: Date())))
      try await writer.write(ByteBuffer(bytes: bytes + TarArchive.padding(after: bytes.count) + TarArchive.end))
      try await writer.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: "application/x-tar", .cacheControl: "no-store",
        .contentDisposition: "attachment; filename=\"confirmed-pictures.tar\"",
      ], body: body)
  }

  private func page(after cursor: String?) async throws -> Page<Job> {
    try await store.jobs(JobFilter(isConfirmed: true), limit: Self.batch, cursor: cursor)
  }

  /// Returns the client's file name in plain ASCII, made unique by the job's id.
  private static func name(of job: Job) -> String {
    let suffix = job.request.photo.pieces(between: ".").last ?? "jpg"
    let pieces = (job.request.filename ?? "photo").pieces(between: ".")
    let stem = pieces.dropLast(pieces.count > 1 ? 1 : 0).joined(separator: ".")
    let plain = stem.unicodeScalars.prefix(32).map { scalar in
      scalar.isASCII
        && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || "-_".unicodeScalars.contains(scalar))
        ? String(scalar) : "_"
    }
    return "\(plain.joined())-\(job.id.prefix(13)).\(suffix)"
  }
}

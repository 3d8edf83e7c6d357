import Foundation
import Hummingbird

/// `GET /result/{job_id}/image`: the photo with the reads drawn in, where `debug=true` asked for it.
struct AnnotatedImage: Sendable {
  let storage: PhotoStorage
  let folder: String

  var endpoint: Endpoint {
    Endpoint(.get, "/result/{job_id}/image", scope: .read) { _, context in
      let id = try context.jobID()
      // Only what is an id can be a file's name.
      guard UUID(uuidString: id) != nil else { throw APIError.jobNotFound(id) }
      guard let file = try await FileAnswer(path: "\(folder)/\(id).png", storage: storage) else {
        throw APIError(
          .imageNotFound,
          "There is no picture for this job. Ask for one with debug=true on /process-serial.")
      }
      return file.response(contentType: "image/png")
    }
  }
}

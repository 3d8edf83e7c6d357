import BlobFiles
import Evaluations
import Exports
import Foundation
import Hummingbird
import PictureHeader

/// `GET /datasets` and `GET /datasets/picture`: the labelled folders that can be evaluated, and their pictures.
struct Datasets: Sendable {
  struct Item: Encodable {
    var name: String
    var pictures: Int
  }

  /// Folders told at most.
  private static let most = 200

  let evaluator: Evaluator

  var endpoints: [Endpoint] {
    [
      Endpoint(.get, "/datasets", access: .admin) { _, context in
        .json(["items": try await context.whileConnected { try await Self.items(evaluator) }])
      },
      Endpoint(.get, "/datasets/picture", access: .admin, parameters: ["dir", "filename"], handler: picture),
    ]
  }

  private static func items(_ evaluator: Evaluator) async throws -> [Item] {
    let names = try await FileThreads.run { [path = evaluator.configuration.datasetsPath] in
      ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
    var items: [Item] = []
    for name in names where items.count < most {
      try Task.checkCancellation()
      guard let contents = try? await evaluator.contents(of: name) else { continue }
      items.append(Item(name: name, pictures: contents.pictures.count))
    }
    return items
  }

  private func picture(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = Query(request)
    guard let dir = try query.text("dir"), let filename = try query.text("filename", limit: 1000) else {
      throw APIError.invalidParameter("dir", "and `filename` name a picture of a labelled folder")
    }
    // Only what the labels name is given out, and only where it is a picture.
    let pictures = try await context.whileConnected { [evaluator] in try await evaluator.contents(of: dir).pictures }
    let found = try await FileThreads.run {
      let path = pictures.first { picture in
        picture.label.filename == filename || "\(picture.folder)/\(picture.label.filename)" == filename
      }?.path
      return path.flatMap { path in (try? PictureHeader(path: path)).map { (path, $0.format.mediaType) } }
    }
    guard let (path, mediaType) = found, let file = try await FileAnswer(path: path) else {
      throw APIError(.imageNotFound, "The dataset has no picture with this name.")
    }
    return file.response(contentType: mediaType)
  }
}

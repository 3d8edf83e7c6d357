import BlobFiles
import Evaluations
import Exports
import Foundation
import Hummingbird
import PictureHeader
import Support

/// `GET /datasets` and `GET /datasets/picture`: the labelled folders available for evaluation, and their pictures.
struct Datasets: Sendable {
  struct Item: Codable {
    var name: String
    var pictures: Int
  }

  struct List: Codable {
    var items: [Item]
    @ExplicitNull var problem: String?
  }

  /// The maximum number of folders listed.
  private static let most = 200

  private static let dir = Parameter<String>.required("dir", "The name of a labelled folder.")
  private static let filename = Parameter<String>.required(
    "filename", limit: 1000, "The picture, as the labels name it.")

  let evaluator: Evaluator

  var endpoints: [Endpoint] {
    [
      Endpoint(
        .get, "/datasets", "ListDatasets", "List the labelled folders",
        "The folders below the datasets folder that have labels.", topic: .evaluation, access: .admin,
        answers: [.json(List.self)]
      ) { _, context in
        .json(try await context.whileConnected { try await Self.list(evaluator) })
      },
      Endpoint(
        .get, "/datasets/picture", "FetchAPictureOfADataset", "Get a picture of a labelled folder",
        "Only pictures that its labels name.", topic: .evaluation, access: .admin,
        parameters: [Self.dir, Self.filename], answers: [.photo],
        errors: [.datasetNotFound, .badLabels, .imageNotFound], handler: picture),
    ]
  }

  private static func list(_ evaluator: Evaluator) async throws -> List {
    let path = evaluator.configuration.datasetsPath
    let found = try await FileThreads.run {
      Result { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }
    let names: [String]
    do {
      names = try found.get()
    } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
      return List(
        items: [], problem: "The datasets folder \(path) does not exist. Create it, or name another one in `datasets`.")
    } catch {
      return List(
        items: [], problem: "The datasets folder \(path) can't be listed: \(FileRefusal.reason(of: error))")
    }
    var items: [Item] = []
    for name in names where items.count < most {
      try Task.checkCancellation()
      guard let contents = try? await evaluator.contents(of: name) else { continue }
      items.append(Item(name: name, pictures: contents.pictures.count))
    }
    return List(items: items, problem: nil)
  }

  private func picture(_ request: Request, _ context: APIContext) async throws -> Response {
    let query = Query(request)
    let (dir, filename) = (try query[Self.dir], try query[Self.filename])
    // Serves only files that the labels name and that are pictures.
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

extension Datasets.Item: WireObject {
  static let wireName = "Dataset"
}

extension Datasets.List: WireObject {
  static let wireName = "Datasets"
  static let wireNotes: [String: Schema] = [
    "problem": .about("Why the datasets folder can't be listed; null if it can.")
  ]
}

import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A response with its JSON, if it has any.
struct Reply {
  var status: Int
  var headers: [String: String]
  var body: Data

  var json: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }
  var errorCode: String? { json["error_code"] as? String }
  var detail: String? { json["detail"] as? String }
}

extension RunningServer {
  func get(_ path: String, headers: [String: String] = [:]) async throws -> Reply {
    try await request("GET", path, headers: headers, body: nil)
  }

  func request(_ method: String, _ path: String, headers: [String: String] = [:], body: Data?) async throws -> Reply {
    guard let url = URL(string: address + path) else { throw URLError(.badURL) }
    var request = URLRequest(url: url, timeoutInterval: 90)
    request.httpMethod = method
    request.httpBody = body
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await URLSession.shared.data(for: request)
    guard let http = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    var fields: [String: String] = [:]
    for (name, value) in http.allHeaderFields { fields["\(name)".lowercased()] = "\(value)" }
    return Reply(status: http.statusCode, headers: fields, body: data)
  }

  /// Uploads a photo as a client does.
  func upload(
    _ photo: Data, to path: String = "/scan", field: String = "image", filename: String = "photo.jpg",
    fields: [String: String] = [:], headers: [String: String] = [:]
  ) async throws -> Reply {
    let boundary = "boundary-\(UUID().uuidString)"
    var body = Data()
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      body.append(Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8))
    }
    body.append(
      Data(
        """
        --\(boundary)\r\nContent-Disposition: form-data; name="\(field)"; filename="\(filename)"\r\n\
        Content-Type: image/jpeg\r\n\r\n
        """.utf8))
    body.append(photo)
    body.append(Data("\r\n--\(boundary)--\r\n".utf8))
    let type = ["Content-Type": "multipart/form-data; boundary=\(boundary)"]
    return try await request("POST", path, headers: type.merging(headers) { $1 }, body: body)
  }

  /// Uploads a photo to /scan and waits for its result.
  func scan(_ photo: Data, fields: [String: String] = [:]) async throws -> Reply {
    let accepted = try await upload(photo, fields: fields)
    guard accepted.status == 200, let id = accepted.json["job_id"] as? String else { return accepted }
    return try await get("/result/\(id)?wait=60")
  }
}

/// A labelled picture, generated or, if the variable names their folder, real.
struct LabelledPicture: CustomStringConvertible, Sendable {
  var url: URL
  var serial: String
  var preset: String

  var description: String { url.lastPathComponent }
  var data: Data { get throws { try Data(contentsOf: url) } }

  /// The rows of a folder's labels.csv, by the names in its header.
  static func all(in folder: URL) throws -> [LabelledPicture] {
    let text = try String(contentsOf: folder.appendingPathComponent("labels.csv"), encoding: .utf8)
    let rows = text.split(whereSeparator: \.isNewline).map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    guard let header = rows.first?.map(String.init), let file = header.firstIndex(of: "filename"),
      let serial = header.firstIndex(of: "serial"), let preset = header.firstIndex(of: "preset")
    else { return [] }
    return rows.dropFirst().map {
      LabelledPicture(
        url: folder.appendingPathComponent(String($0[file])), serial: String($0[serial]), preset: String($0[preset]))
    }
  }

  /// The pictures that the project generates.
  static let generated: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("testdata/pictures")

  /// The folder of real photos, or nil.
  static let photos: URL? = ProcessInfo.processInfo.environment["SERIALSCAN_PHOTOS"].map {
    URL(fileURLWithPath: $0, isDirectory: true)
  }.flatMap { FileManager.default.fileExists(atPath: $0.appendingPathComponent("labels.csv").path) ? $0 : nil }
}

import Foundation
import HTTPAPI
import Testing

/// Covers file names of uploads with any bytes: none rejects the photo.
@Suite struct FileNameTests {
  /// Uploads a form with one photo whose header has this parameter, followed by `more`.
  private func upload(_ parameter: Data, then more: String = "", on api: RunningAPI) async throws -> Connection.Reply {
    let head = Data("--b\r\nContent-Disposition: form-data; name=\"image\"; ".utf8)
    let body = head + parameter + Data("\r\n\r\n".utf8) + Photo.jpeg() + Data("\r\n\(more)--b--\r\n".utf8)
    return try #require(await api.request("POST", "/scan", headers: Form.headers, body: body))
  }

  private func name(_ parameter: Data, on api: RunningAPI) async throws -> String? {
    let reply = try await upload(parameter, on: api)
    #expect(reply.status == 200, "\(reply.text)")
    return try await api.job(reply.json["job_id"] as? String)?.request.filename
  }

  @Test func keepsFileNamesOfAnyBytes() async throws {
    let api = try await RunningAPI()
    let names: [(Data, String?)] = [
      (Data("filename=\"B".utf8) + [0xFC] + Data("ro.jpg\"".utf8), "Büro.jpg"),
      (Data("filename=\"".utf8) + [0x93, 0xFA, 0x96, 0x7B] + Data("\"".utf8), "“ú–{"),
      (Data("filename=\"=?UTF-8?B?QsO8cm8uanBn?=\"".utf8), "Büro.jpg"),
      (Data("filename=\"x.jpg\"; filename*=UTF-8''B%C3%BCro.jpg".utf8), "Büro.jpg"),
      (Data("filename=\"Bu\u{308}ro.jpg\"".utf8), "Büro.jpg"),
      (Data("filename=\"\"".utf8), nil),
    ]
    for (parameter, expected) in names {
      // Compared by scalars: a name with decomposed accents has other bytes.
      let found = try await name(parameter, on: api)
      #expect(found.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "\(String(describing: found))")
    }
  }

  @Test func findsFileNamesInEitherNormalization() async throws {
    let api = try await RunningAPI()
    _ = try await upload(Data("filename=\"Bu\u{308}ro.jpg\"".utf8), on: api)
    try await api.readNext(as: .sample(serials: ["C02G414GMD6N"]))
    for typed in ["B%C3%BCro", "Bu%CC%88ro"] {
      let items = await api.get("/history?search=\(typed)")?.json["items"] as? [Any]
      #expect(items?.count == 1, "\(typed)")
    }
  }

  @Test func ignoresSecondUnnamedEmptyPart() async throws {
    let api = try await RunningAPI()
    let header = "--b\r\nContent-Disposition: form-data"
    for more in ["\(header); name=\"image\"; filename=\"\"\r\n\r\n\r\n", "\(header); filename=\"\"\r\n\r\n\r\n"] {
      let reply = try await upload(Data("filename=\"a.jpg\"".utf8), then: more, on: api)
      #expect(reply.status == 200, "\(reply.text)")
      #expect(try await api.job(reply.json["job_id"] as? String)?.request.filename == "a.jpg")
    }
    let second = "\(header); name=\"image\"; filename=\"\"\r\n\r\nx\r\n"
    #expect(try await upload(Data("filename=\"a.jpg\"".utf8), then: second, on: api).errorCode == "SEVERAL_IMAGES")
    let empty = Data("\(header); name=\"image\"; filename=\"\"\r\n\r\n\r\n--b--\r\n".utf8)
    #expect(await api.request("POST", "/scan", headers: Form.headers, body: empty)?.errorCode == "EMPTY_IMAGE")
  }
}

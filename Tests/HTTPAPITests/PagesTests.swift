import EmbeddedFiles
import Foundation
import HTTPAPI
import Testing

/// Covers the files of the page: all embedded, small, under one policy, and cached by tag.
@Suite struct PagesTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources/HTTPAPI/Pages").standardizedFileURL

  @Test func embedsEveryPageFileUnchanged() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    let embedded = (0..<serialscan_embedded_page_count()).map { serialscan_embedded_page($0) }
    #expect(Set(embedded.map { String(cString: $0.name) }) == Set(names))
    for file in embedded {
      let content = try Data(contentsOf: Self.folder.appendingPathComponent(String(cString: file.name)))
      #expect(content == Data(bytes: file.bytes, count: file.size), "\(String(cString: file.name))")
    }
  }

  @Test func firstLoadStaysSmall() {
    let files = (0..<serialscan_embedded_page_count()).map { serialscan_embedded_page($0) }
    let ofThePage = files.filter { String(cString: $0.name) != "docs.html" }
    // All views in all languages; opening a view loads about half of it.
    #expect(ofThePage.reduce(0) { $0 + $1.size } < 510_000)
  }

  @Test func policyForbidsInlineScriptsAndStyles() async throws {
    let api = try await RunningAPI()
    for path in ["/", "/docs", "/page/app.js", "/page/app.css", "/page/sw.js"] {
      let reply = try #require(await api.get(path))
      let policy = reply.headers["content-security-policy"] ?? ""
      #expect(reply.status == 200 && policy.contains("default-src 'none'") && !policy.contains("unsafe"), "\(path)")
      #expect(reply.headers["x-content-type-options"] == "nosniff")
      if path.hasPrefix("/page") { continue }
      for inline in ["<style", " style=", " onclick=", "<script>", "javascript:"] {
        #expect(!reply.text.contains(inline), "\(path) \(inline)")
      }
    }
  }

  /// Behind a proxy with a path, an address that starts with a slash leaves the server.
  @Test func everyAddressIsRelative() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.folder.path) {
      guard let text = try? String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8) else {
        continue
      }
      for way in ["\"/page/", "href=\"/", "src=\"/", "fetch(\"/", "import(\"/", "from \"/", "\"src\": \"/"] {
        let allowed = way == "\"/page/" ? text.replacing("at(\"/page/", with: "") : text
        #expect(!allowed.contains(way), "\(name) \(way)")
      }
    }
  }

  @Test func userTextIsNeverMarkup() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.folder.path) where name.hasSuffix(".js") {
      let text = try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8)
      for way in [
        "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "http://",
        "https://",
      ]
      where !(name == "camera.js" && way == "http://") {
        if way == "http://", text.contains("http://www.w3.org/2000/svg") { continue }
        #expect(!text.contains(way), "\(name) \(way)")
      }
    }
  }

  @Test func unchangedPagesReturn304() async throws {
    let api = try await RunningAPI()
    let first = try #require(await api.get("/page/app.js"))
    let tag = try #require(first.headers["etag"])
    let again = try #require(await api.request("GET", "/page/app.js", headers: ["If-None-Match": tag]))
    #expect(again.status == 304 && again.body.isEmpty)
    #expect(await api.request("GET", "/page/app.js", headers: ["If-None-Match": "\"other\""])?.status == 200)
    let weak = await api.request("GET", "/page/app.js", headers: ["If-None-Match": "\"other\", W/\(tag)"])
    #expect(weak?.status == 304, "a proxy that compresses makes the tag weak")
    #expect(await api.get("/page/nothing.js")?.status == 404)
    #expect(await api.get("/page/..%2Findex.html")?.status == 404)
    #expect(await api.get("/page/sw.js")?.headers["service-worker-allowed"] == "/")
  }
}

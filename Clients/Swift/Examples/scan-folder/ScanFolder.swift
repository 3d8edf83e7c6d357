import Foundation
import SerialScanClient

/// Reads every photo of a folder and writes a CSV: `scan-folder FOLDER [-o serials.csv] [--device-type TYPE]`.
///
/// SERIALSCAN_URL (http://localhost:8000 by default) and SERIALSCAN_API_KEY select the server. Running it again creates
/// no duplicate jobs: a photo's Idempotency-Key is derived from its path, size and time.
@main struct ScanFolder {
  private static let usage = "usage: scan-folder FOLDER [-o serials.csv] [--device-type TYPE]\n"
  private static let kinds: Set = ["jpg", "jpeg", "png", "webp", "tif", "tiff", "heic", "heif"]
  /// Number of concurrent photos: enough to keep a server busy while others are uploaded.
  private static let width = 4

  struct Row: Sendable {
    var filename: String
    var fields: [String]
  }

  static func main() async {
    var arguments = Array(CommandLine.arguments.dropFirst())
    let output = option("-o", in: &arguments) ?? "serials.csv"
    let deviceType = option("--device-type", in: &arguments)
    let environment = ProcessInfo.processInfo.environment
    guard arguments.count == 1, let folder = arguments.first,
      let url = URL(string: environment["SERIALSCAN_URL"] ?? "http://localhost:8000")
    else { fail(usage) }
    let client = SerialScanClient(baseURL: url, apiKey: environment["SERIALSCAN_API_KEY"])
    do {
      let photos = try photos(in: URL(fileURLWithPath: folder, isDirectory: true))
      guard !photos.isEmpty else { fail("\(folder) has no photos (\(kinds.sorted().joined(separator: ", "))).\n") }
      let rows = await read(photos, client, deviceType)
      try csv(rows).write(to: URL(fileURLWithPath: output), options: .atomic)
      func count(_ verdict: String) -> Int { rows.count { $0.fields.last == verdict } }
      say(
        "\n\(count("accepted")) accepted, \(count("uncertain")) need review, \(count("refused")) without a serial, "
          + "\(count("failed")) not read: \(output)\n")
    } catch { fail("\(folder): \(error.localizedDescription)\n") }
  }

  private static func photos(in folder: URL) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { kinds.contains($0.pathExtension.lowercased()) }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
  }

  /// Reads photos, a few at a time, and shows the progress.
  private static func read(_ photos: [URL], _ client: SerialScanClient, _ deviceType: String?) async -> [Row] {
    await withTaskGroup(of: Row.self) { group in
      var rows: [Row] = []
      var rest = photos[...]
      for photo in rest.prefix(width) { group.addTask { await row(photo, client, deviceType) } }
      rest = rest.dropFirst(width)
      for await row in group {
        rows.append(row)
        showProgress(rows.count, of: photos.count)
        if let photo = rest.popFirst() { group.addTask { await Self.row(photo, client, deviceType) } }
      }
      return rows.sorted { $0.filename < $1.filename }
    }
  }

  private static func row(_ photo: URL, _ client: SerialScanClient, _ deviceType: String?) async -> Row {
    let filename = photo.lastPathComponent
    do {
      let job = try await client.scan(image: .file(photo), deviceType: deviceType, idempotencyKey: key(of: photo))
      let result = try await job.result()
      let confidence = result.results.map { String(($0.topResult.confidence * 10_000).rounded() / 10_000) } ?? ""
      let verdict = result.verdict?.rawValue ?? "refused"
      return Row(filename: filename, fields: [result.serial ?? "", confidence, result.error ?? "", verdict])
    } catch { return Row(filename: filename, fields: ["", "", error.localizedDescription, "failed"]) }
  }

  /// A key that changes with the file: FNV-1a of its path, size and time, which is the same in every run, unlike
  /// `Hasher`.
  private static func key(of photo: URL) throws -> String {
    let attributes = try FileManager.default.attributesOfItem(atPath: photo.path)
    let time = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
    let name = "\(photo.standardizedFileURL.path) \(attributes[.size] ?? 0) \(time)"
    let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    return "scan-folder-\(String(hash, radix: 16))"
  }

  private static func showProgress(_ done: Int, of total: Int) {
    let filled = done * 30 / max(1, total)
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
    say("\r[\(bar)] \(done)/\(total)")
  }

  private static func csv(_ rows: [Row]) -> Data {
    let header = Row(filename: "filename", fields: ["serial", "confidence", "error", "verdict"])
    let lines = ([header] + rows).map { ([$0.filename] + $0.fields).map(quoted).joined(separator: ",") + "\r\n" }
    return Data(lines.joined().utf8)
  }

  /// Quotes a CSV field. An apostrophe keeps spreadsheets from parsing it as a formula.
  private static func quoted(_ field: String) -> String {
    let text = "=+-@".contains(field.first ?? " ") ? "'\(field)" : field
    return "\"\(text.replacingOccurrences(of: "\"", with: "\"\""))\""
  }

  private static func option(_ name: String, in arguments: inout [String]) -> String? {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
    defer { arguments.removeSubrange(index...(index + 1)) }
    return arguments[index + 1]
  }

  private static func say(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

  private static func fail(_ text: String) -> Never {
    say(text)
    exit(1)
  }
}

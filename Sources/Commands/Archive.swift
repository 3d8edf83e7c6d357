import Foundation
import Support

/// A backup archive with photos: `serialscan.sqlite` and `photos/xx/...`, written and unpacked by tar.
enum Archive {
  /// Why an archive can't be written or read: a clause without the archive's name.
  struct Failure: Error {
    var reason: String
  }

  /// The database's name in the archive.
  static let database = "serialscan.sqlite"

  /// Whether a file is a plain database (SQLite, "Database File Format", 1.3: the header string).
  static func isDatabase(_ path: String) throws -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { throw Failure(reason: "it can't be opened") }
    defer { try? file.close() }
    return try file.read(upToCount: 16) == Data("SQLite format 3\0".utf8)
  }

  /// Writes an archive of the database in one folder and of photos, given by their paths relative to the data folder,
  /// and syncs it to disk. Skips photos that disappear meanwhile.
  static func write(_ path: String, database folder: String, photos: [String], of data: String) throws {
    let names = folder + "/names"
    try Data(photos.map { "\($0)\0" }.joined().utf8).write(to: URL(fileURLWithPath: names))
    try tar([
      "--create", "--file", path, "--mode=go=", "-C", folder, database, "-C", data, "--ignore-failed-read",
      "--no-recursion", "--null", "--files-from", names,
    ])
    sync()
  }

  /// Unpacks the parts of a backup into an empty folder. Throws `Failure` if they contain anything but files and
  /// folders; the caller must then neither follow nor move any of them.
  static func unpack(_ path: String, into folder: String) throws {
    let file = URL(fileURLWithPath: path).path
    let names: [Substring]
    do {
      names = try tar(["--list", "--file", file]).split(separator: "\n")
    } catch let failure as Failure {
      throw Failure(reason: "it is not a backup, or it is damaged (\(failure.reason)). Name another file")
    }
    guard names.contains(where: { $0 == database }) else { throw Failure(reason: "it holds no \(database)") }
    // tar fails for a name that matches nothing, and a backup may have no photos.
    let parts = names.contains { $0 == "photos" || $0.hasPrefix("photos/") } ? [database, "photos"] : [database]
    try tar(["--extract", "--file", file, "-C", folder, "--no-same-owner", "--anchored"] + parts)
    if let other = RegularFile.firstOther(below: folder) {
      throw Failure(reason: "it contains a link or a device, \(other), which no backup contains")
    }
  }

  /// Runs tar and returns its output.
  @discardableResult
  private static func tar(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["tar"] + arguments
    let errors = Pipe()
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    let output = FileManager.default.temporaryDirectory.appendingPathComponent("serialscan-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: output) }
    _ = FileManager.default.createFile(atPath: output.path, contents: nil, attributes: [.posixPermissions: 0o600])
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    let said = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(reason: said.split(separator: "\n").first.map(String.init) ?? "tar ended with an error")
    }
    return String(decoding: try Data(contentsOf: output), as: UTF8.self)
  }
}

extension RegularFile {
  /// Returns the first entry below a folder that is neither a folder nor a file with a single name (link count 1); nil
  /// if there is none. Follows no links.
  static func firstOther(below folder: String) -> String? {
    let names = FileManager.default.enumerator(atPath: folder)
    while let name = names?.nextObject() as? String {
      var status = stat()
      guard lstat("\(folder)/\(name)", &status) == 0 else { return name }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: continue
      case S_IFREG where status.st_nlink == 1: continue
      default: return name
      }
    }
    return nil
  }
}

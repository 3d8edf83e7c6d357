import ArgumentParser
import Foundation
import JobStore
import SQLiteStore
import Support

/// `serialscan restore FILE`: restores a backup into a data folder that has neither database nor photos.
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore a backup into an empty data folder.",
    discussion: """
      Stop the server and move an old data folder away first: nothing is overwritten.

      Examples:
        serialscan restore /backup/serialscan.sqlite --data ./data
      """)

  @Argument(help: "A file written by `serialscan backup`.", completion: .file(), transform: notEmpty)
  var file: String

  @OptionGroup var options: FolderOptions

  func run() throws {
    let settings = try options.load()
    try settings.requireOwnDatabase(
      for: "restore", instead: "use pg_restore for what pg_dump wrote, or `serialscan copy` for a data folder")
    let folder = DataFolder(path: settings.data)
    guard RegularFile.exists(at: file) else { throw InputPath.missing(file, "there is no backup at \(file)") }
    guard !FileManager.default.fileExists(atPath: folder.database), !folder.hasPhotos else {
      throw CleanExit.failure(
        "\(folder.path) has a database or photos already, and a restore overwrites nothing. Stop the server and move the "
          + "folder away: mv \(folder.path) \(folder.path).old")
    }
    let work = folder.path + "/restoring"
    let leftovers = Leftovers(of: folder)
    defer { try? FileManager.default.removeItem(atPath: work) }
    let contents: DatabaseFile.Contents
    do {
      try folder.prepare()
      try? FileManager.default.removeItem(atPath: work)
      try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: false)
      contents = try place(from: work, in: folder)
    } catch {
      leftovers.remove()
      switch error {
      case StoreOpenError.damaged(_, let reason):
        throw CleanExit.failure("\(file) is damaged: \(reason). Restore an earlier backup")
      case let error as StoreOpenError: throw CleanExit.failure(error.description)
      case let error as Archive.Failure:
        throw CleanExit.failure("\(file) can't be restored: \(error.reason)")
      default:
        guard let refusal = FileRefusal(error) else { throw error }
        throw CleanExit.failure("\(folder.path) can't be written: \(refusal)")
      }
    }
    try StandardOutput.shared.print(
      "restored \(counted(contents.jobs, "job")) and \(counted(contents.serials, "serial")) into "
        + printable(folder.path))
  }

  /// Unpacks and checks the backup next to the data folder, then moves it there. The database moves last, so that an
  /// interrupted restore can be detected.
  private func place(from work: String, in folder: DataFolder) throws -> DatabaseFile.Contents {
    let files = FileManager.default
    let database = DatabaseFile(path: work + "/" + Archive.database)
    if try Archive.isDatabase(file) {
      try files.copyItem(atPath: file, toPath: database.path)
    } else {
      try Archive.unpack(file, into: work)
    }
    let contents = try database.contents()
    try database.requireIntact()
    if files.fileExists(atPath: work + "/photos") {
      try? files.removeItem(atPath: folder.photos)
      try files.moveItem(atPath: work + "/photos", toPath: folder.photos)
    }
    chmod(database.path, 0o600)
    sync()
    do {
      try files.moveItem(atPath: database.path, toPath: folder.database)
    } catch {
      // The folder contained no photos before.
      try? files.removeItem(atPath: folder.photos)
      throw error
    }
    sync()
    return contents
  }
}

/// Removes what a failed restore created in a data folder.
private struct Leftovers {
  private let path: String
  /// The names in the folder before the restore; nil if there was no folder.
  private let before: Set<String>?
  /// Whether anything existed at the path before, such as a file or a folder that can't be listed.
  private let wasThere: Bool
  /// The outermost parent folder that did not exist before, or the folder itself.
  private let outermost: String

  init(of folder: DataFolder) {
    path = folder.path
    before = (try? FileManager.default.contentsOfDirectory(atPath: path)).map(Set.init)
    wasThere = FileIdentity(path: path) != nil
    var outermost = path
    while case let above = (outermost as NSString).deletingLastPathComponent, above.count > 1,
      !FileManager.default.fileExists(atPath: above)
    { outermost = above }
    self.outermost = outermost
  }

  func remove() {
    let files = FileManager.default
    guard wasThere else { return _ = try? files.removeItem(atPath: outermost) }
    guard let before else { return }
    for name in (try? files.contentsOfDirectory(atPath: path)) ?? [] where !before.contains(name) {
      try? files.removeItem(atPath: "\(path)/\(name)")
    }
  }
}

import ArgumentParser
import Foundation
import JobStore
import SQLiteStore
import Support

/// `serialscan backup FILE`: writes a consistent backup, also while the server runs.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Back up the database, and optionally the photos, while the server runs.",
    discussion: """
      The file is replaced only after the copy is complete and checked. Without --photos it is an SQLite database; \
      with --photos, a tar archive of the database and the photos it refers to.

      Examples:
        serialscan backup /backup/serialscan.sqlite
        serialscan backup /backup/serialscan.tar --photos --data /var/lib/serialscan
      """)

  @Argument(help: "The file to write, outside the data folder.", completion: .file(), transform: notEmpty)
  var file: String

  @Flag(help: "Include the photos.")
  var photos = false

  @OptionGroup var options: FolderOptions

  func run() throws {
    let settings = try options.load()
    try settings.requireOwnDatabase(
      for: "backup", instead: "pg_dump -Fc backs it up while servers run, including the photos")
    let folder = DataFolder(path: settings.data)
    // Only the owner may read the backup, like the data folder.
    umask(0o077)
    let target = URL(fileURLWithPath: file).standardizedFileURL.path
    guard !target.hasPrefix(URL(fileURLWithPath: folder.path).standardizedFileURL.path + "/") else {
      throw CleanExit.failure(
        "\(file) is inside the data folder; write the backup to another disk, or at least to another folder")
    }
    try OutputFile.check(file)
    let (backup, photoCount) = try write(folder, to: target)
    let figures = [counted(backup.jobs, "job")] + [photoCount.map { counted($0, "photo") }].compactMap(\.self)
    try StandardOutput.shared.print(
      "wrote \(figures.joined(separator: ", ")) and \(counted(backup.serials, "serial")) to \(printable(file))")
  }

  /// Writes the backup and returns its contents, and the number of its photos if it has any. Ends the program with a
  /// message if that fails.
  private func write(
    _ folder: DataFolder, to target: String
  ) throws -> (contents: DatabaseFile.Contents, photos: Int?) {
    do {
      return photos ? try archive(folder, to: target) : (try copy(folder, to: target), nil)
    } catch StoreOpenError.damaged(_, let reason) {
      let damage = StoreOpenError.damaged(path: folder.database, reason: reason)
      throw CleanExit.failure("\(damage) No backup was written; an earlier one in \(file) is unchanged.")
    } catch let error as StoreOpenError {
      throw CleanExit.failure(error.description)
    } catch let error as Archive.Failure {
      throw CleanExit.failure("\(file) can't be written: \(error.reason)")
    } catch {
      throw CleanExit.failure("\(file) can't be written: \(FileRefusal.reason(of: error))")
    }
  }

  /// Copies the database to a temporary file and checks the copy before it replaces the target.
  private func copy(_ folder: DataFolder, to target: String) throws -> DatabaseFile.Contents {
    let unchecked = DatabaseFile(path: target + ".unchecked")
    defer { try? FileManager.default.removeItem(atPath: unchecked.path) }
    try DatabaseFile(path: folder.database).copy(to: unchecked.path)
    let contents = try Self.checked(unchecked)
    guard rename(unchecked.path, target) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return contents
  }

  /// Archives the database first, then the photos that this copy names: they all existed when the copy was made.
  private func archive(_ folder: DataFolder, to target: String) throws -> (DatabaseFile.Contents, Int?) {
    let work = target + ".work"
    let files = FileManager.default
    try? files.removeItem(atPath: work)
    defer { try? files.removeItem(atPath: work) }
    try files.createDirectory(
      atPath: work, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let copy = DatabaseFile(path: work + "/" + Archive.database)
    try DatabaseFile(path: folder.database).copy(to: copy.path)
    let contents = try Self.checked(copy)
    let names = try copy.photos().filter { RegularFile.exists(at: "\(folder.path)/\($0)", followingLinks: false) }
    try Archive.write(work + "/archive", database: work, photos: names, of: folder.path)
    guard rename(work + "/archive", target) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    return (contents, names.count)
  }

  private static func checked(_ copy: DatabaseFile) throws -> DatabaseFile.Contents {
    try copy.requireIntact()
    return try copy.contents()
  }
}

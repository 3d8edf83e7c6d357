import ArgumentParser
import Foundation
import Support

/// The layout and the permissions of the server's data folder.
struct DataFolder {
  /// The folder's path, without a trailing slash.
  let path: String

  init(path: String) { self.path = URL(fileURLWithPath: path, isDirectory: true).path }

  /// The path of the database.
  var database: String { path + "/serialscan.sqlite" }
  /// The folder of the photos.
  var photos: String { path + "/photos" }
  /// The folder of the annotated pictures.
  var annotations: String { path + "/annotations" }

  /// The folders that the server creates in the data folder.
  private static let parts = ["photos", "incoming", "annotations", "reports", "exports", "watch"]

  /// Creates the folder if it is missing, and revokes other users' access to it and its contents, whatever the umask.
  /// If the folder also contains other files, revokes access only to the server's own. Ends the program with a message
  /// if the folder can't be used.
  ///
  /// - Parameter part: A folder to create in it.
  func prepare(with part: String = "annotations") throws {
    umask(0o077)
    let contents: (own: [String], others: [String])
    do {
      try FileManager.default.createDirectory(atPath: path + "/" + part, withIntermediateDirectories: true)
      contents = try self.contents()
    } catch {
      throw CleanExit.failure(
        "the data folder \(path) can't be used: \(reason(error)). Choose a folder that this user can write with --data"
      )
    }
    for name in contents.own { close(path + "/" + name) }
    if contents.others.isEmpty { close(path) }
  }

  /// Returns the names of the server's own files and folders in the folder, and those of others.
  func contents() throws -> (own: [String], others: [String]) {
    let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    let isOwn = { (name: String) in
      Self.parts.contains(name) || name.hasPrefix("serialscan.sqlite") || name == "restoring"
    }
    return (names.filter(isOwn), names.filter { !isOwn($0) })
  }

  /// Whether the path names something other than a folder.
  var isFile: Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
  }

  /// Returns why the folder could not be prepared, as a clause.
  private func reason(_ error: any Error) -> String {
    if isFile { return "it is a file" }
    return FileRefusal(error)?.systemText ?? "it can't be created or listed"
  }

  /// Whether there are photos but no database.
  var hasPhotosAlone: Bool {
    let size = (try? FileManager.default.attributesOfItem(atPath: database)[.size]) as? NSNumber
    return (size?.intValue ?? 0) == 0 && hasPhotos
  }

  /// Whether there is any photo.
  var hasPhotos: Bool {
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: photos)) ?? []
    return folders.contains { folder in
      ((try? FileManager.default.contentsOfDirectory(atPath: "\(photos)/\(folder)")) ?? []).isEmpty == false
    }
  }

  /// Revokes the permissions of group and others. Leaves files of other users unchanged.
  private func close(_ path: String) {
    guard let mode = (try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]) as? NSNumber,
      mode.intValue & 0o077 != 0
    else { return }
    chmod(path, mode_t(clamping: mode.intValue & 0o700))
  }
}

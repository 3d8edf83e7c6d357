import Foundation

/// The server's data folder: what lies where, and for whom.
struct DataFolder {
  /// The folder's path, without a slash at its end.
  let path: String

  init(path: String) { self.path = URL(fileURLWithPath: path, isDirectory: true).path }

  /// The database's file.
  var database: String { path + "/serialscan.sqlite" }
  /// The folder of the photos.
  var photos: String { path + "/photos" }
  /// The folder of the pictures with reads drawn in.
  var annotations: String { path + "/annotations" }

  /// What the server makes in the folder.
  private static let parts = ["photos", "incoming", "annotations", "reports", "exports"]

  /// Makes the folder where it is missing, and closes it and what is in it to other users of the machine, whatever the
  /// umask. A folder that holds other things than a server's is left as open as it is: only what is ours is closed.
  func prepare() throws {
    umask(0o077)
    let files = FileManager.default
    try files.createDirectory(atPath: annotations, withIntermediateDirectories: true)
    let names = try files.contentsOfDirectory(atPath: path)
    let ours = names.filter { Self.parts.contains($0) || $0.hasPrefix("serialscan.sqlite") || $0 == "restoring" }
    for name in ours { close(path + "/" + name) }
    if names.allSatisfy({ ours.contains($0) }) { close(path) }
  }

  /// Whether there are photos and no database that could know them.
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

  /// Takes the rights of group and others; what belongs to another user stays as it is.
  private func close(_ path: String) {
    guard let mode = (try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]) as? NSNumber,
      mode.intValue & 0o077 != 0
    else { return }
    chmod(path, mode_t(clamping: mode.intValue & 0o700))
  }
}

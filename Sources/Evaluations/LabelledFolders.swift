import Foundation
import Support

/// A cache of parsed labelled folders. An entry is valid until the labels file or the folder's list of files changes.
public final class LabelledFolders: Sendable {
  /// A folder's labels and the warnings about them.
  struct Folder: Sendable {
    var labels: [LabelsFile.Label]
    var warnings: [LabelWarning]
  }

  /// What changes with a folder: the time, size and identity of its labels file, and the folder's own time.
  private struct Stamp: Equatable {
    var labels: [Int]
    var folder: [Int]
  }

  /// The maximum number of labels kept, at about 200 bytes each.
  private static let mostLabels = 400_000
  /// The file name extensions of supported pictures.
  private static let endings: Set = ["jpg", "jpeg", "png", "webp", "tif", "tiff", "heic", "heif"]

  private let known = Locked<[String: (stamp: Stamp, folder: Folder)]>([:])

  /// Creates an empty cache.
  public init() {}

  /// Returns the folder at a path. Blocks, also while another thread parses a folder. Throws `LabelsFile.Problem`.
  func folder(at path: String) throws -> Folder {
    try known.withLock { known in
      let stamp = Self.stamp(of: path)
      if let entry = known[path], entry.stamp == stamp { return entry.folder }
      let file = try LabelsFile(folder: URL(fileURLWithPath: path, isDirectory: true))
      let folder = Folder(
        labels: file.labels, warnings: file.warnings + Self.unlabelled(in: path, beside: file.filenames))
      known[path] = nil
      let kept = known.values.reduce(folder.labels.count) { $0 + $1.folder.labels.count }
      if kept > Self.mostLabels { known = [:] }
      known[path] = (stamp, folder)
      return folder
    }
  }

  private static func stamp(of path: String) -> Stamp {
    func values(_ path: String) -> [Int] {
      var status = stat()
      guard stat(path, &status) == 0 else { return [] }
      return [
        status.st_mtim.tv_sec, status.st_mtim.tv_nsec, Int(clamping: status.st_size), Int(clamping: status.st_ino),
      ]
    }
    return Stamp(labels: values(path + "/labels.csv"), folder: values(path))
  }

  /// Returns a warning that counts the pictures of a folder without a label; empty if there are none.
  private static func unlabelled(in path: String, beside labelled: Set<String>) -> [LabelWarning] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let others = names.filter { name in
      !name.hasPrefix(".") && !labelled.contains(name)
        && endings.contains(URL(fileURLWithPath: name).pathExtension.lowercased())
    }
    guard let first = others.min() else { return [] }
    return [
      LabelWarning(
        code: .unlabelledPicture, count: others.count,
        detail: "\(URL(fileURLWithPath: path).lastPathComponent)/\(first) has no label, and is ignored")
    ]
  }
}

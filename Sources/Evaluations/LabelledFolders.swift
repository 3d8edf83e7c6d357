import Foundation
import Support

/// Labelled folders that were parsed, each as long as neither its labels nor its names have changed.
public final class LabelledFolders: Sendable {
  /// A folder's labels, and what stands out in them.
  struct Folder: Sendable {
    var labels: [LabelsFile.Label]
    var warnings: [LabelWarning]
  }

  /// What changes with a folder: time, size and identity of its labels, and the time of the folder itself.
  private struct Stamp: Equatable {
    var labels: [Int]
    var folder: [Int]
  }

  /// The most labels that are kept, some two hundred bytes each.
  private static let mostLabels = 400_000
  /// Endings of pictures that can be read.
  private static let endings: Set = ["jpg", "jpeg", "png", "webp", "tif", "tiff", "heic", "heif"]

  private let known = Locked<[String: (stamp: Stamp, folder: Folder)]>([:])

  /// Begins with none.
  public init() {}

  /// The folder at a path. Blocks; who asks for one that is being parsed waits for it. Throws `LabelsFile.Problem`.
  func folder(at path: String) throws -> Folder {
    try known.withLock { known in
      let stamp = Self.stamp(of: path)
      if let entry = known[path], entry.stamp == stamp { return entry.folder }
      let file = try LabelsFile(folder: URL(fileURLWithPath: path, isDirectory: true))
      let folder = Folder(labels: file.labels, warnings: file.warnings + Self.unlabelled(in: path, beside: file.labels))
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

  /// The pictures of a folder that no label names.
  private static func unlabelled(in path: String, beside labels: [LabelsFile.Label]) -> [LabelWarning] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let labelled = Set(labels.map(\.filename))
    let others = names.filter { name in
      !name.hasPrefix(".") && !labelled.contains(name)
        && endings.contains(URL(fileURLWithPath: name).pathExtension.lowercased())
    }
    guard let first = others.min() else { return [] }
    return [
      LabelWarning(
        code: .unlabelledPicture, count: others.count,
        detail: "\(URL(fileURLWithPath: path).lastPathComponent)/\(first) has no label, and is left out")
    ]
  }
}

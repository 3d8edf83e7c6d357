import ChildProcess
import Foundation
import ScanModel
import Support

/// The pictures named on the command line: files, folders of files, and `-` for standard input.
struct ScanInput {
  /// One picture.
  struct Picture {
    /// The name as given on the command line.
    var name: String
    /// The path in the file system; nil for standard input.
    var path: String?
    /// The path relative to the folder named on the command line, or the file's own name.
    var place: String
  }

  /// The file name extensions of supported formats.
  private static let endings: Set<String> = ["jpg", "jpeg", "png", "webp", "tif", "tiff", "heic", "heif"]

  /// The pictures in the order named. A folder's own pictures come in the order of their names, before those of its
  /// subfolders. Unreadable ones stay in the list and are reported in their rows.
  private(set) var pictures: [Picture] = []
  /// The number of files in folders without a picture's extension; excludes names that begin with a dot.
  private(set) var otherFiles = 0
  /// The number of subfolders left out.
  private(set) var foldersLeft = 0

  private let isRecursive: Bool
  /// The folders already listed, so that links to a parent folder do not cause an endless loop.
  private var listed: Set<FileIdentity> = []

  /// Finds the pictures.
  ///
  /// - Parameter isRecursive: Whether subfolders are listed too.
  init(_ names: [String], isRecursive: Bool = true) {
    self.isRecursive = isRecursive
    for name in names {
      if name == "-" {
        pictures.append(Picture(name: "-", path: nil, place: "standard input"))
      } else if Self.isFolder(name) {
        list(name.hasSuffix("/") ? name : name + "/", below: "")
      } else {
        pictures.append(Picture(name: name, path: name, place: (name as NSString).lastPathComponent))
      }
    }
  }

  private mutating func list(_ folder: String, below place: String) {
    guard let identity = FileIdentity(path: folder), listed.insert(identity).inserted else { return }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      return pictures.append(Picture(name: folder, path: folder, place: place))
    }
    var folders: [String] = []
    for name in names.sorted(by: { $0.compare($1, options: [.numeric, .caseInsensitive]) == .orderedAscending }) {
      // Hidden, or macOS's `._` files, which have the picture's own extension: `watch` skips them too.
      guard !name.hasPrefix(".") else { continue }
      if Self.isFolder(folder + name) {
        folders.append(name)
      } else if Self.endings.contains((name as NSString).pathExtension.lowercased()) {
        pictures.append(Picture(name: folder + name, path: folder + name, place: place + name))
      } else {
        otherFiles += 1
      }
    }
    guard isRecursive else { return foldersLeft += folders.count }
    for name in folders { list(folder + name + "/", below: place + name + "/") }
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }

  /// Sentences about what was left out.
  var leftOut: [String] {
    var sentences: [String] = []
    if otherFiles > 0 {
      sentences.append(otherFiles == 1 ? "1 file is not a picture" : "\(otherFiles) files are not pictures")
    }
    if foldersLeft > 0 {
      sentences.append(foldersLeft == 1 ? "1 folder was skipped" : "\(foldersLeft) folders were skipped")
    }
    return sentences
  }

  /// Returns the bytes of a picture. Throws `ReadFailure` if they can't be read.
  ///
  /// - Parameter limit: The maximum bytes read from standard input.
  static func bytes(of picture: Picture, limit: Int) throws(ReadFailure) -> [UInt8] {
    guard let path = picture.path else { return try standardInput(limit: limit) }
    guard !isFolder(path) else {
      throw ReadFailure(.photoMissing, "The folder can't be listed. Check its permissions.")
    }
    do throws(RegularFile.Problem) {
      return try RegularFile.bytes(of: path, limit: .max)
    } catch {
      let isMisnamed = path.contains("\u{FFFD}")
      throw ReadFailure(
        .photoMissing, error.sentence(missing: isMisnamed ? "Its name is not UTF-8. Rename it." : "No such file."))
    }
  }

  /// Reads standard input up to the limit, because it may be endless.
  private static func standardInput(limit: Int) throws(ReadFailure) -> [UInt8] {
    var content: [UInt8] = []
    while let piece = try? FileHandle.standardInput.read(upToCount: 1 << 16), !piece.isEmpty {
      guard content.count + piece.count <= limit else {
        throw ReadFailure(
          .tooManyPixels, "Standard input has more than the \(limit) bytes of upload.max_bytes. Send a smaller photo.")
      }
      content += piece
    }
    guard !content.isEmpty else { throw ReadFailure(.notAPicture, "Standard input is empty.") }
    return content
  }
}

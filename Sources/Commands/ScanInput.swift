import ChildProcess
import Foundation
import ScanModel

/// The pictures that a command line names: files, folders of them, and `-` for one that comes by standard input.
struct ScanInput {
  /// One picture.
  struct Picture {
    /// As the command line names it.
    var name: String
    /// Where it is in the file system; nil where it comes by standard input.
    var path: String?
    /// Its path below the folder that the command line names, or its own name.
    var place: String
  }

  /// Endings of the formats that can be read.
  private static let endings: Set<String> = ["jpg", "jpeg", "png", "webp", "tif", "tiff", "heic", "heif"]

  /// The pictures in the order named; of a folder, its own by their names before those of its folders. What can't be read
  /// stays in the list: it is told in its row.
  private(set) var pictures: [Picture] = []
  /// Files of folders that have no picture's ending; those that begin with a dot do not count.
  private(set) var otherFiles = 0
  /// Folders in folders that were left out.
  private(set) var foldersLeft = 0

  private let isRecursive: Bool
  /// Folders that were listed, so that links to one above do not go round for ever.
  private var listed: Set<[UInt64]> = []

  /// Finds the pictures.
  ///
  /// - Parameter isRecursive: Whether folders in folders are listed too.
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
    var status = stat()
    guard stat(folder, &status) == 0,
      listed.insert([UInt64(clamping: status.st_dev), UInt64(clamping: status.st_ino)]).inserted
    else {
      return
    }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      return pictures.append(Picture(name: folder, path: folder, place: place))
    }
    var folders: [String] = []
    for name in names.sorted(by: { $0.compare($1, options: [.numeric, .caseInsensitive]) == .orderedAscending }) {
      let isHidden = name.hasPrefix(".")
      if Self.isFolder(folder + name) {
        if !isHidden { folders.append(name) }
      } else if name.hasPrefix("._") {
        // What macOS keeps beside a picture on other file systems, under the picture's own ending.
        continue
      } else if Self.endings.contains((name as NSString).pathExtension.lowercased()) {
        pictures.append(Picture(name: folder + name, path: folder + name, place: place + name))
      } else if !isHidden {
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

  /// What was left out, in sentences.
  var leftOut: [String] {
    var sentences: [String] = []
    if otherFiles > 0 {
      sentences.append(otherFiles == 1 ? "1 file is not a picture" : "\(otherFiles) files are not pictures")
    }
    if foldersLeft > 0 {
      sentences.append(foldersLeft == 1 ? "1 folder was left out" : "\(foldersLeft) folders were left out")
    }
    return sentences
  }

  /// The bytes of a picture. Throws `ReadFailure` where they can't be had.
  ///
  /// - Parameter limit: The most bytes that are taken from standard input.
  static func bytes(of picture: Picture, limit: Int) throws(ReadFailure) -> [UInt8] {
    guard let path = picture.path else { return try standardInput(limit: limit) }
    guard FileManager.default.fileExists(atPath: path) else { throw ReadFailure(.photoMissing, "No such file.") }
    guard !isFolder(path) else { throw ReadFailure(.photoMissing, "The folder can't be listed.") }
    return try PhotoFile(path: path).read(limit: .max)
  }

  /// What comes by standard input, which may never end.
  private static func standardInput(limit: Int) throws(ReadFailure) -> [UInt8] {
    var content: [UInt8] = []
    while let piece = try? FileHandle.standardInput.read(upToCount: 1 << 16), !piece.isEmpty {
      guard content.count + piece.count <= limit else {
        throw ReadFailure(
          .tooManyPixels, "Standard input has more than the \(limit) bytes of upload.max_bytes. Send a smaller photo.")
      }
      content += piece
    }
    guard !content.isEmpty else { throw ReadFailure(.notAPicture, "Nothing came by standard input.") }
    return content
  }
}

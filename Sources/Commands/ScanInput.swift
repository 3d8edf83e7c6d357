import Foundation
import ReaderProcess
import ReaderProtocol

/// The pictures that a command line names: files, folders of them, and `-` for one that comes by standard input.
struct ScanInput {
  /// One picture.
  struct Picture {
    /// As the command line names it, for a person.
    var name: String
    /// Where it is in the file system; nil where it comes by standard input.
    var path: String?
  }

  /// Endings of the formats that can be read.
  private static let endings: Set<String> = ["jpg", "jpeg", "png", "webp", "tif", "tiff", "heic", "heif"]

  /// The pictures in the order named; those of a folder by their names. A file that is not there stays in the list: it is
  /// told in its row.
  static func pictures(_ names: [String]) throws -> [Picture] {
    try names.flatMap { name -> [Picture] in
      if name == "-" { return [Picture(name: "-", path: nil)] }
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: name, isDirectory: &isFolder), isFolder.boolValue else {
        return [Picture(name: name, path: name)]
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: name)
        .filter { endings.contains(($0 as NSString).pathExtension.lowercased()) }
        .sorted { $0.compare($1, options: [.numeric, .caseInsensitive]) == .orderedAscending }
      let folder = name.hasSuffix("/") ? name : name + "/"
      return files.map { Picture(name: folder + $0, path: folder + $0) }
    }
  }

  /// The bytes of a picture. Throws `ReadFailure` where they can't be had.
  ///
  /// - Parameter limit: The most bytes that are taken from standard input.
  static func bytes(of picture: Picture, limit: Int) throws(ReadFailure) -> [UInt8] {
    guard let path = picture.path else { return try standardInput(limit: limit) }
    guard FileManager.default.fileExists(atPath: path) else { throw ReadFailure(.photoMissing, "No such file.") }
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

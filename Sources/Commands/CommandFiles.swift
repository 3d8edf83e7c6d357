import ArgumentParser
import Foundation
import Support

/// Identifies a file or a folder, whatever name or link leads to it.
struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  /// Follows links; nil if nothing exists at the path.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, inode) = (UInt64(clamping: status.st_dev), UInt64(clamping: status.st_ino))
  }
}

/// The files that a command reads, so that none of its outputs replaces one of them.
struct InputFiles {
  /// The path of standard input, which may be a redirected file.
  static let standardInput = "/dev/stdin"

  private let known: Set<FileIdentity>

  /// Collects the files that exist.
  init(_ paths: some Sequence<String>) { known = Set(paths.compactMap(FileIdentity.init)) }

  /// Ends the program with a usage error if an option's output is one of the files.
  func protect(from output: String?, of option: String) throws {
    guard let output, contains(output) else { return }
    throw ValidationError(
      "\(option) would replace \(printable(output)), which is read: name another file or folder")
  }

  /// Ends the program with a usage error if an option's output folder is one of the files' folders, or contains one of
  /// the files under a name that the command would write.
  func protect(fromFilesIn folder: String?, of option: String, named isName: (String) -> Bool) throws {
    guard let folder else { return }
    try protect(from: folder, of: option)
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where isName(name) {
      try protect(from: folder + "/" + name, of: option)
    }
  }

  private func contains(_ path: String) -> Bool { FileIdentity(path: path).map(known.contains) ?? false }
}

/// Parses an argument or the value of an option. Throws if it is empty, which for Foundation names the current folder.
@Sendable func notEmpty(_ text: String) throws -> String {
  guard !text.isEmpty else { throw ValidationError("it must not be empty") }
  return text
}

/// A file or a folder that a command reads.
enum InputPath {
  /// Returns the end of the program for a path at which nothing was found: with the reason if this user can't look
  /// there, otherwise with `sentence`.
  static func missing(_ path: String, _ sentence: String) -> ExitCode {
    CleanExit.failure(FileRefusal(hiding: path)?.systemText.map { "\(path) can't be read: \($0)" } ?? sentence)
  }
}

/// A file that a command writes in one piece.
enum OutputFile {
  /// Ends the program with a message if a folder has the file's name, or its own folder is missing or not writable. For
  /// commands that write the file only after hours of work.
  static func check(_ path: String?) throws {
    guard let path else { return }
    try refuseFolder(path)
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard FileManager.default.isWritableFile(atPath: folder) else {
      throw CleanExit.failure(
        "\(path) can't be written: the folder \(folder) does not exist or is not writable. Create the folder, or choose "
          + "another place")
    }
  }

  /// Ends the program with a message if a folder has the file's name.
  static func refuseFolder(_ path: String) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else { return }
    throw CleanExit.failure("\(path) can't be written: \(FileRefusal(EISDIR))")
  }

  /// Writes a file completely, or leaves what was there. Ends the program with a message if that fails.
  static func write(_ bytes: [UInt8], to path: String) throws {
    try writing(path) { try Data(bytes).write(to: $0, options: .atomic) }
  }

  /// Runs `write` with the file's URL. Ends the program with a message if that fails.
  static func writing(_ path: String, _ write: (URL) throws -> Void) throws {
    do {
      try write(URL(fileURLWithPath: path))
    } catch {
      throw CleanExit.failure("\(path) can't be written: \(FileRefusal.reason(of: error))")
    }
  }

  /// Creates a folder for files, unless it exists. Ends the program with a message if that fails.
  static func makeFolder(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw CleanExit.failure("the folder \(path) can't be created: \(FileRefusal.reason(of: error))")
    }
  }
}

import Foundation
import JobStore
import Support

/// A CSV file to which rows are appended as they are found, so that a kill loses none of them.
///
/// An existing file is replaced with the first rows, in one step; until then it stays as it is.
public final class AppendedRows {
  private let path: String
  private let start: [UInt8]
  private let layout = ExportLayout()
  private var descriptor: Int32?
  /// The bytes of complete rows.
  private var size = 0

  /// Prepares a file; writes nothing.
  ///
  /// - Parameters:
  ///   - path: The file. A link is followed.
  ///   - earlier: The rows of the existing file, which come first; nil to replace it.
  ///   - pictures: The paths of the pictures that are read, whose rows replace those of unreadable ones.
  public init(path: String, after earlier: EarlierRows?, reading pictures: some Sequence<String>) {
    self.path = FileReplacement.target(of: path)
    start = earlier?.start(reading: pictures) ?? Array(DelimitedText.beginning(layout, .comma).utf8)
  }

  deinit { if let descriptor { close(descriptor) } }

  /// Appends rows. They have been handed to the system on return; if this throws, the file has only complete rows.
  public func append(_ rows: [SavedSerial]) throws(ExportError) {
    let text = rows.map { DelimitedText.line(ExportRow($0, .shared), layout, .comma) }.joined()
    if let descriptor { return try write(Array(text.utf8), to: descriptor) }
    let replacement = FileReplacement(of: path)
    let new = open(replacement.temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard new >= 0 else { throw ExportError(errno, at: path) }
    do {
      try write(start + text.utf8, to: new)
      try replacement.complete()
    } catch {
      close(new)
      replacement.abandon()
      throw error
    }
    descriptor = new
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32) throws(ExportError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written, size + written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let error = ExportError(errno, at: path)
        _ = ftruncate(descriptor, size)
        throw error
      }
      written += count
    }
    size += written
  }
}

/// A file that is written under a temporary name and replaces another one in one step.
struct FileReplacement {
  private let path: String
  /// The path at which to write the file.
  let temporary: String

  init(of path: String) {
    self.path = path
    let (folder, name) = ((path as NSString).deletingLastPathComponent, (path as NSString).lastPathComponent)
    temporary = (folder.isEmpty ? "" : folder + "/") + ".serialscan-" + name
  }

  /// Gives the file its name, and the permissions of the file that it replaces unless others are given.
  func complete(mode: mode_t? = nil) throws(ExportError) {
    var status = stat()
    if let mode = mode ?? (stat(path, &status) == 0 ? status.st_mode & 0o777 : nil) { chmod(temporary, mode) }
    guard rename(temporary, path) == 0 else { throw ExportError(errno, at: path) }
  }

  /// Removes the unfinished file.
  func abandon() { unlink(temporary) }

  /// Returns the path of the file that a link names, so that the file is replaced and not the link.
  static func target(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

extension ExportError {
  /// Converts an error of writing the file at a path; nil for an error of something else.
  init?(refusing path: String, _ error: any Error) {
    if let error = error as? ExportError {
      self = error
    } else if let number = FileRefusal(error)?.number {
      self.init(number, at: path)
    } else {
      return nil
    }
  }

  /// Converts a system error.
  init(_ number: Int32, at path: String) {
    switch number {
    case ENOSPC, EDQUOT: self = .diskFull
    default: self = .failed("\(path): \(String(cString: strerror(number)))")
    }
  }
}

import Foundation

/// Files that are read for an evaluation: a pipe or a device in their place could hold it for ever.
enum RegularFile {
  /// Whether a file is there, or a link to one, and no folder, pipe, socket or device.
  static func exists(at path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}

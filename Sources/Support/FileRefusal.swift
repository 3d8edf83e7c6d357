import Foundation

/// Why the system refuses a file or a folder. The texts of Foundation's errors name their domains and codes.
package struct FileRefusal: Equatable, CustomStringConvertible {
  /// The `errno`; nil if Foundation does not give it.
  package let number: Int32?

  /// Creates the refusal with an `errno`.
  package init(_ number: Int32) { self.number = number }

  /// Creates the refusal that an error of Foundation reports; nil for other errors.
  package init?(_ error: any Error) {
    let known = error as NSError
    switch known.domain {
    case NSPOSIXErrorDomain: number = Int32(clamping: known.code)
    case NSCocoaErrorDomain:
      let underlying = (known.userInfo[NSUnderlyingErrorKey] as? any Error).flatMap { FileRefusal($0)?.number }
      number = underlying ?? Self.numbers[CocoaError.Code(rawValue: known.code)]
    default: return nil
    }
  }

  /// Creates the refusal to look at a path, such as that of a folder above it which this user may not open; nil if
  /// something exists there, or certainly nothing does.
  package init?(hiding path: String) {
    var status = stat()
    guard stat(path, &status) != 0, ![ENOENT, ENOTDIR].contains(errno) else { return nil }
    number = errno
  }

  private static let numbers: [CocoaError.Code: Int32] = [
    .fileNoSuchFile: ENOENT, .fileReadNoSuchFile: ENOENT, .fileWriteFileExists: EEXIST,
    .fileReadNoPermission: EACCES, .fileWriteNoPermission: EACCES, .fileWriteOutOfSpace: ENOSPC,
    .fileWriteVolumeReadOnly: EROFS,
  ]

  /// Whether the disk, or this user's share of it, is full.
  package var isFullDisk: Bool { number == ENOSPC || number == EDQUOT }

  /// The reason and what to do, as clauses without a full stop.
  package var description: String {
    switch number {
    case ENOSPC, EDQUOT: "there is too little free space on the disk. Free some space"
    case EISDIR, ENOTEMPTY: "it is a folder. Name a file"
    case EEXIST: "a file of this name exists. Choose another name"
    case ENOTDIR: "a part of its path is a file. Choose another place"
    case ENOENT: "its folder does not exist. Create the folder, or choose another place"
    case EACCES, EPERM: "this user has no permission. Choose another place, or change the permissions"
    case EROFS: "its disk is read-only. Choose another place"
    case ENAMETOOLONG: "its name is too long. Choose a shorter one"
    case let number?: String(cString: strerror(number))
    case nil: "the system gave no reason. Check the path"
    }
  }

  /// The system's own words, such as "Too many open files"; nil if Foundation does not give the `errno`.
  package var systemText: String? { number.map { String(cString: strerror($0)) } }

  /// Returns the reason for an error, whatever its kind.
  package static func reason(of error: any Error) -> String {
    FileRefusal(error)?.description ?? "\(error)"
  }
}

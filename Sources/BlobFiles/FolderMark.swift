import Foundation
import Glibc
import JobStore
import Support

/// The file that distinguishes a store's shared folder from the empty mount point of an unmounted file system.
public struct FolderMark: Sendable, Equatable {
  /// The file's name in the folder. The file contains the store's id and a line feed.
  public static let fileName = "serialscan-store"
  /// Upper bound on the file's size in bytes, larger than any id.
  private static let mostBytes = 200
  /// The store's id.
  public let storeID: String

  /// Creates the mark of a store.
  public init(storeID: String) { self.storeID = storeID }

  /// Reads the id in a folder's mark; nil if the folder has no mark. Blocks. Throws `StoreError.unavailable`.
  public static func storeID(in folder: String) throws -> String? {
    let path = "\(folder)/\(fileName)"
    do throws(RegularFile.Problem) {
      let bytes = try RegularFile.bytes(of: path, limit: mostBytes)
      return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    } catch {
      switch error {
      case .missing: return nil
      case .notRegular, .tooLarge: throw StoreError.unavailable("\(path) is not a store's mark")
      case .refused(let number): throw FileFailure.of(number, path)
      }
    }
  }

  /// Marks a folder; the mark is durable when this returns. Blocks. Throws `StoreError`.
  public func write(to folder: String) throws {
    let path = "\(folder)/\(Self.fileName)"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw FileFailure.current(path) }
    defer { close(descriptor) }
    let bytes = Array("\(storeID)\n".utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
      throw FileFailure.current(path)
    }
    try BlobFolder.synchroniseFolder(folder)
  }

  /// Throws `StoreError.unavailable` unless the folder has this mark. Blocks.
  func check(in folder: String) throws {
    guard let found = try Self.storeID(in: folder) else {
      throw StoreError.unavailable("\(folder) has no file \(Self.fileName): it is not mounted")
    }
    guard found == storeID else {
      throw StoreError.unavailable("\(folder)/\(Self.fileName) names another store")
    }
  }
}

import BlobFiles
import Foundation
import JobStore
import PostgresClient

// The photo folder mounted on all machines. A file in it contains the store's id, so that an empty mount point is not
// mistaken for a folder whose photos are gone.

extension PostgresStore {
  /// Number of photos searched for in a folder used by a version without marks.
  private static let sampleSize = 20

  /// Opens the folder of photos. On a server, checks it, marks it at the first opening, and creates its subfolders.
  ///
  /// Throws `StoreOpenError.wrongPhotosFolder`.
  static func photosFolder(
    at path: String, isServer: Bool, in connection: PostgresConnection
  ) throws -> BlobFolder {
    guard let id = try connection.run("SELECT id FROM store_identity").first?.text("id") else {
      throw StoreOpenError.unusable(path: path, reason: "the database has no id")
    }
    let folder = BlobFolder(path: path, mark: FolderMark(storeID: id))
    guard isServer else { return folder }
    try connection.transaction { connection in
      // One server at a time, so that the first of several starting together marks the folder for all.
      let row = try connection.run("SELECT folder_is_marked FROM store_identity FOR UPDATE").first
      switch try FolderMark.storeID(in: path) {
      case id: break
      case .some: throw wrongFolder(path, "its file \(FolderMark.fileName) names another store")
      case nil:
        guard try row?.flag("folder_is_marked") != true else {
          throw wrongFolder(
            path,
            "its file \(FolderMark.fileName) is missing, so the file system is not mounted. Mount it. If this is the "
              + "right folder, write the store's id into that file: echo \(id) > '\(path)/\(FolderMark.fileName)'")
        }
        try mark(path, with: id, in: connection)
      }
      try connection.run("UPDATE store_identity SET folder_is_marked = true WHERE NOT folder_is_marked")
    }
    try folder.prepare(isAlone: false)
    return folder
  }

  /// Marks a folder that this store has not marked before: an empty one, or one that contains the store's photos from a
  /// version without marks.
  private static func mark(_ path: String, with id: String, in connection: PostgresConnection) throws {
    let named = try connection.run(
      """
      SELECT photo FROM jobs WHERE NOT photo_pruned
        AND NOT EXISTS (SELECT 1 FROM blobs WHERE kind = 'photo' AND name = photo) ORDER BY seq DESC LIMIT $1
      """, [.init(sampleSize)]
    ).rows.compactMap { BlobFolder.place(of: BlobName(.photo, try $0.text("photo"))) }
    let files = FileManager.default
    guard named.isEmpty || named.contains(where: { files.fileExists(atPath: "\(path)/\($0)") }) else {
      throw wrongFolder(path, "it has none of the photos that the database names. Mount the folder that has them")
    }
    guard !named.isEmpty || !BlobFolder.hasPhotos(in: path) else {
      throw wrongFolder(path, "it has photos that the database does not name. Set store.photos to an empty folder")
    }
    try files.createDirectory(atPath: path, withIntermediateDirectories: true)
    try FolderMark(storeID: id).write(to: path)
  }

  private static func wrongFolder(_ path: String, _ reason: String) -> StoreOpenError {
    .wrongPhotosFolder(path: path, reason: reason)
  }
}

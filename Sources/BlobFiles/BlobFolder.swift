import Foundation
import Glibc
import JobStore
import Support

/// Stores blobs as files: in `incoming/` while they are uploaded, then in `photos/xx/`, `annotations/` and `reports/`.
///
/// A blob is stored once its bytes, its name and the folder containing the name are on the disk. Calls run on separate
/// threads, because `fsync` blocks and the waits of several blobs can overlap.
public final class BlobFolder: BlobStore {
  private let path: String
  private let mark: FolderMark?

  /// Creates a reference to the folder without changing it.
  ///
  /// - Parameter mark: The mark that the folder must have, if its file system might not be mounted.
  public init(path: String, mark: FolderMark? = nil) {
    self.path = path
    self.mark = mark
  }

  /// Throws `StoreError.unavailable` if the folder is missing or belongs to another store, so that files missing from
  /// it do not count as deleted. Blocks.
  private func requirePresence() throws {
    try mark?.check(in: path)
    let photos = "\(path)/\(Self.folder(of: .photo))"
    guard access(photos, R_OK | X_OK) == 0 else { throw FileFailure.current(photos) }
  }

  /// Creates missing subfolders.
  ///
  /// - Parameter isAlone: Whether nobody else uses the folder. If so, files in `incoming/` were left by a dead process
  ///   and are deleted.
  public func prepare(isAlone: Bool) throws {
    let files = FileManager.default
    try files.createDirectory(atPath: "\(path)/incoming", withIntermediateDirectories: true)
    for kind in BlobKind.allCases {
      try files.createDirectory(atPath: "\(path)/\(Self.folder(of: kind))", withIntermediateDirectories: true)
    }
    let photos = "\(path)/\(Self.folder(of: .photo))"
    for number in 0..<256 { mkdir("\(photos)/\(Self.part(number))", 0o700) }
    for folder in [photos, path] { try Self.synchroniseFolder(folder) }
    if isAlone {
      for left in try files.contentsOfDirectory(atPath: "\(path)/incoming") where left.hasSuffix(".part") {
        try files.removeItem(atPath: "\(path)/incoming/\(left)")
      }
    }
  }

  /// See `BlobStore`.
  public func stage() async throws -> any StagedBlob {
    try await FileThreads.run { [path] in
      try StagedFile(path: "\(path)/incoming/\(UUID().uuidString.lowercased()).part")
    }
  }

  /// See `BlobStore`.
  public func commit(_ staged: any StagedBlob, as name: BlobName) async throws {
    guard let file = staged as? StagedFile else {
      await staged.discard()
      throw StoreError.unavailable("the blob was staged by another store")
    }
    do {
      let target = try path(of: name)
      try await FileThreads.run { [self] in
        try requirePresence()
        try Self.commit(file, to: target, isPhoto: name.kind == .photo)
      }
    } catch {
      await file.discard()
      throw error
    }
  }

  /// Moves a staged blob to its name without waiting for the disk, for blobs that may be lost in a power failure.
  public func place(_ staged: any StagedBlob, as name: BlobName) async throws {
    guard let file = staged as? StagedFile else { throw StoreError.unavailable("the blob was staged by another store") }
    let target = try path(of: name)
    try await FileThreads.run { [self] in
      try requirePresence()
      try file.move(to: target)
    }
  }

  /// See `BlobStore`. Throws if the folder is not mounted, because its blobs are not lost.
  public func open(_ name: BlobName) async throws -> (any OpenBlob)? {
    guard let path = try? path(of: name) else { return nil }
    return try await FileThreads.run { [self] in
      if let file = try OpenFile(path: path) { return file }
      try requirePresence()
      return nil
    }
  }

  /// See `BlobStore`.
  public func delete(_ name: BlobName) async throws {
    let path = try path(of: name)
    try await FileThreads.run { [self] in
      if unlink(path) == 0 { return }
      guard errno == ENOENT else { throw FileFailure.current(path) }
      try requirePresence()
    }
  }

  /// See `BlobStore`.
  public func list(_ kind: BlobKind, after name: String?, limit: Int) async throws -> [BlobListing] {
    try await FileThreads.run { [self] in
      var found: [BlobListing] = []
      for folder in folders(of: kind, from: name) where found.count < limit {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for next in names.sorted() where name.map({ $0 < next }) ?? true {
          var status = stat()
          guard lstat("\(folder)/\(next)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
          found.append(
            BlobListing(name: next, storedAt: Date(timeIntervalSince1970: TimeInterval(status.st_mtim.tv_sec))))
          if found.count >= limit { break }
        }
      }
      return found
    }
  }

  /// Whether a folder contains photos. Blocks.
  public static func hasPhotos(in path: String) -> Bool {
    let photos = "\(path)/\(folder(of: .photo))"
    let files = FileManager.default
    return ((try? files.contentsOfDirectory(atPath: photos)) ?? []).contains { part in
      ((try? files.contentsOfDirectory(atPath: "\(photos)/\(part)")) ?? []).isEmpty == false
    }
  }

  /// See `BlobStore`.
  public func location(of name: BlobName) -> String { (try? path(of: name)) ?? name.name }

  /// See `BlobStore`. Writes a file, moves it like a photo, and deletes it.
  public func checkWritable() async throws {
    try await FileThreads.run { [self] in try requirePresence() }
    let staged = try await stage()
    do {
      try await staged.append([UInt8](repeating: 0, count: 8192))
      let name = BlobName(.photo, "00-check-\(UUID().uuidString.lowercased()).part")
      try await place(staged, as: name)
      try await delete(name)
    } catch {
      await staged.discard()
      throw error
    }
  }

  // MARK: Names and folders

  private static func folder(of kind: BlobKind) -> String {
    switch kind {
    case .photo: "photos"
    case .annotation: "annotations"
    case .report: "reports"
    }
  }

  private static func part(_ number: Int) -> String { String(format: "%02x", number) }

  /// The subfolders that may contain blobs whose names sort after `name`.
  private func folders(of kind: BlobKind, from name: String?) -> [String] {
    let folder = "\(path)/\(Self.folder(of: kind))"
    guard kind == .photo else { return [folder] }
    return (0..<256).map(Self.part).filter { part in name.map { $0.prefix(2) <= part } ?? true }
      .map { "\(folder)/\($0)" }
  }

  private func path(of name: BlobName) throws(StoreError) -> String {
    guard let place = Self.place(of: name) else { throw .unavailable("\"\(name.name)\" is not a valid file name") }
    return "\(path)/\(place)"
  }

  /// Returns the path of a blob's file relative to the folder. Photos are in a subfolder named by the first two digits
  /// of their ids, which the names in older databases include.
  ///
  /// Returns nil for an invalid file name, because a damaged database may contain anything.
  public static func place(of name: BlobName) -> String? {
    let isPlain = name.name.utf8.allSatisfy { byte in
      byte < 0x80 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
        || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "/")].contains(byte)
    }
    guard isPlain, name.name.count > 2, !name.name.contains(".."), !name.name.hasPrefix("/") else { return nil }
    let folder = Self.folder(of: name.kind)
    return name.kind == .photo && !name.name.contains("/")
      ? "\(folder)/\(name.name.prefix(2))/\(name.name)" : "\(folder)/\(name.name)"
  }

  private static func commit(_ file: StagedFile, to target: String, isPhoto: Bool) throws {
    if isPhoto { FaultPoint.photoWritten.reached() }
    try file.synchronise()
    if isPhoto { FaultPoint.photoSynced.reached() }
    try file.move(to: target)
    if isPhoto { FaultPoint.photoRenamed.reached() }
    do {
      try synchroniseFolder((target as NSString).deletingLastPathComponent)
    } catch {
      unlink(target)
      throw error
    }
    if isPhoto { FaultPoint.photoStored.reached() }
  }

  static func synchroniseFolder(_ path: String) throws {
    let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFailure.current(path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw FileFailure.current(path) }
  }
}

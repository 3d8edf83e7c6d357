import Foundation

/// What a blob is: bytes that a store keeps beside its rows.
public enum BlobKind: String, Sendable, CaseIterable {
  /// A photo as it was uploaded; named by its job's id with the format's ending.
  case photo
  /// A photo with the reads drawn in, a PNG; named by its job's id.
  case annotation
  /// What an evaluation came to, as CSV or JSON.
  case report
}

/// What a blob is found by.
public struct BlobName: Sendable, Hashable {
  /// What it is.
  public var kind: BlobKind
  /// Its name among those of its kind: letters, digits, `-`, `_`, `.`, and `/` in older databases.
  public var name: String

  /// Creates a name.
  public init(_ kind: BlobKind, _ name: String) {
    self.kind = kind
    self.name = name
  }

  /// The name of a job's picture with the reads drawn in.
  public static func annotation(ofJob id: String) -> BlobName { BlobName(.annotation, "\(id).png") }
}

/// A blob in a list.
public struct BlobListing: Sendable, Equatable {
  /// Its name among those of its kind.
  public var name: String
  /// When it was stored.
  public var storedAt: Date

  /// Creates an item.
  public init(name: String, storedAt: Date) {
    self.name = name
    self.storedAt = storedAt
  }
}

/// Bytes on their way into a store. Nobody else sees them before they are committed, and they are gone where that
/// never happens: at once by `discard`, after a crash at the next start.
public protocol StagedBlob: Sendable {
  /// Adds bytes at the end. Throws `StoreError.diskFull` or `.unavailable`.
  func append(_ bytes: [UInt8]) async throws

  /// Runs blocking work over the bytes so far, which lie in the file at `path`, on a thread where that is no harm.
  func inspect<Value: Sendable>(_ work: @escaping @Sendable (_ path: String) throws -> Value) async throws -> Value

  /// Gives the bytes up. Nothing happens where they have been committed or given up before.
  func discard() async
}

/// A blob that is being read. It can be read to its end even where it is deleted meanwhile.
public protocol OpenBlob: Sendable {
  /// How many bytes it has.
  var size: Int { get }

  /// At most `count` bytes from `offset` on; fewer only at the end. Throws `StoreError.unreadable` or `.unavailable`.
  func read(at offset: Int, count: Int) async throws -> [UInt8]
}

/// Photos and other files of a store. Calls throw `StoreError.diskFull` or `.unavailable`.
public protocol BlobStore: Sendable {
  /// Begins a blob. A job's photo goes to `JobStore.enqueue`, other blobs to `commit`.
  func stage() async throws -> any StagedBlob

  /// Stores a staged blob durably under a name, in place of what had it. Given up where this throws.
  func commit(_ staged: any StagedBlob, as name: BlobName) async throws

  /// Opens a blob; nil where there is none. Throws `StoreError.unreadable` where it is there and can't be read, and
  /// `.unavailable` where the whole store can't be.
  func open(_ name: BlobName) async throws -> (any OpenBlob)?

  /// Deletes a blob; it may be gone already.
  func delete(_ name: BlobName) async throws

  /// At most `limit` blobs of a kind whose names follow `name`, in the order of names.
  func list(_ kind: BlobKind, after name: String?, limit: Int) async throws -> [BlobListing]

  /// Where a blob is, for an operator to read: a path, where it is a file.
  func location(of name: BlobName) -> String

  /// Writes something small, for a health check: throws what a new photo would meet.
  func checkWritable() async throws
}

extension BlobStore {
  /// The whole of a blob; nil where there is none, or where it has more bytes than `limit`.
  public func bytes(of name: BlobName, limit: Int) async throws -> [UInt8]? {
    guard let blob = try await open(name), blob.size <= limit else { return nil }
    return try await blob.read(at: 0, count: blob.size)
  }

  /// Stores bytes under a name, in place of what had it.
  public func store(_ bytes: [UInt8], as name: BlobName) async throws {
    try await commit(stage(bytes), as: name)
  }

  /// Begins a blob with all of its bytes.
  public func stage(_ bytes: [UInt8]) async throws -> any StagedBlob {
    let staged = try await stage()
    do {
      try await staged.append(bytes)
      return staged
    } catch {
      await staged.discard()
      throw error
    }
  }
}

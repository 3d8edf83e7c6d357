import Foundation

/// The kind of a blob: bytes that a store keeps beside its rows.
public enum BlobKind: String, Sendable, CaseIterable {
  /// An uploaded photo, named after its job's id with the format's extension.
  case photo
  /// A PNG of the photo with the reads drawn in, named after its job's id.
  case annotation
  /// The result of an evaluation, as CSV or JSON.
  case report
}

/// A blob's kind and name, which identify it in a store.
public struct BlobName: Sendable, Hashable {
  /// The blob's kind.
  public var kind: BlobKind
  /// The name, unique within its kind: letters, digits, `-`, `_`, `.`, and in older databases `/`.
  public var name: String

  /// Creates a name.
  public init(_ kind: BlobKind, _ name: String) {
    self.kind = kind
    self.name = name
  }

  /// The name of a job's annotated picture.
  public static func annotation(ofJob id: String) -> BlobName { BlobName(.annotation, "\(id).png") }
}

/// A blob in a list.
public struct BlobListing: Sendable, Equatable {
  /// The name, unique within its kind.
  public var name: String
  /// The time it was stored.
  public var storedAt: Date

  /// Creates a list entry.
  public init(name: String, storedAt: Date) {
    self.name = name
    self.storedAt = storedAt
  }
}

/// Bytes that are being uploaded into a store.
///
/// They are invisible to other callers until committed. Bytes that are never committed are deleted: immediately by
/// `discard`, after a crash at the next start.
public protocol StagedBlob: Sendable {
  /// Appends bytes. Throws `StoreError.diskFull` or `.unavailable`.
  func append(_ bytes: [UInt8]) async throws

  /// Runs blocking work on the bytes received so far, which are in the file at `path`, on a thread that may block.
  func inspect<Value: Sendable>(_ work: @escaping @Sendable (_ path: String) throws -> Value) async throws -> Value

  /// Discards the bytes. Does nothing if they have already been committed or discarded.
  func discard() async
}

/// A blob that is open for reading. It stays readable to its end even if it is deleted meanwhile.
public protocol OpenBlob: Sendable {
  /// The size in bytes.
  var size: Int { get }

  /// Reads at most `count` bytes starting at `offset`; returns fewer only at the end.
  ///
  /// Throws `StoreError.unreadable` or `.unavailable`.
  func read(at offset: Int, count: Int) async throws -> [UInt8]
}

/// The photos and other files of a store. Calls throw `StoreError.diskFull` or `.unavailable`.
public protocol BlobStore: Sendable {
  /// Starts a new blob. Pass a job's photo to `JobStore.enqueue` and other blobs to `commit`.
  func stage() async throws -> any StagedBlob

  /// Stores a staged blob durably under a name, replacing any blob of that name. Discards it if this throws.
  func commit(_ staged: any StagedBlob, as name: BlobName) async throws

  /// Opens a blob; nil if it does not exist.
  ///
  /// Throws `StoreError.unreadable` if the blob exists but can't be read, and `.unavailable` if the whole store can't
  /// be read.
  func open(_ name: BlobName) async throws -> (any OpenBlob)?

  /// Deletes a blob. Does nothing if it does not exist.
  func delete(_ name: BlobName) async throws

  /// Lists at most `limit` blobs of a kind whose names sort after `name`, ordered by name.
  func list(_ kind: BlobKind, after name: String?, limit: Int) async throws -> [BlobListing]

  /// The blob's location for the operator: a path if it is a file.
  func location(of name: BlobName) -> String

  /// Writes a small blob as a health check. Throws the error that storing a new photo would throw.
  func checkWritable() async throws
}

extension BlobStore {
  /// Reads a whole blob; nil if it does not exist or is larger than `limit` bytes.
  public func bytes(of name: BlobName, limit: Int) async throws -> [UInt8]? {
    guard let blob = try await open(name), blob.size <= limit else { return nil }
    return try await blob.read(at: 0, count: blob.size)
  }

  /// Stores bytes under a name, replacing any blob of that name.
  public func store(_ bytes: [UInt8], as name: BlobName) async throws {
    try await commit(stage(bytes), as: name)
  }

  /// Stages a blob with all of its bytes.
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

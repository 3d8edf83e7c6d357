import BlobFiles
import Foundation
import JobStore
import PostgresClient
import Support

/// Stores photos and other files in the database: a row for each blob and rows for its parts' bytes.
///
/// Uploads are stored in a local file until committed, so that the image header can be read there and a slow client
/// holds no transaction open.
final class PostgresBlobs: BlobStore {
  /// Size of a part in bytes.
  static let partSize = 1 << 20
  /// Upper bound on a blob's size in bytes, small enough that sums of offsets do not overflow.
  private static let mostBytes = 1 << 40
  /// Seconds for which a deleted blob's bytes remain for readers that have already opened it.
  static let deletionGrace: TimeInterval = 60

  private let pool: PostgresPool
  private let passing: BlobFolder

  /// Creates the blob store with a folder for temporary files.
  init(pool: PostgresPool, passing: BlobFolder) {
    (self.pool, self.passing) = (pool, passing)
  }

  /// See `BlobStore`.
  func stage() async throws -> any StagedBlob { try await passing.stage() }

  /// See `BlobStore`.
  func commit(_ staged: any StagedBlob, as name: BlobName) async throws {
    do {
      let path = try await staged.inspect { $0 }
      try await asked { try await self.pool.transaction { try Self.insert(fileAt: path, as: name, in: $0) } }
    } catch {
      await staged.discard()
      throw error
    }
    await staged.discard()
  }

  /// See `BlobStore`.
  func open(_ name: BlobName) async throws -> (any OpenBlob)? {
    guard !name.name.utf8.contains(0) else { return nil }
    let pool = pool
    return try await asked {
      try await pool.read { connection in
        try connection.run(
          "SELECT blob, size FROM blobs WHERE kind = $1 AND name = $2", [.text(name.kind.rawValue), .text(name.name)]
        ).first.map {
          OpenRows(pool: pool, blob: try $0.integer("blob"), size: min(try $0.count("size"), Self.mostBytes))
        }
      }
    }
  }

  /// See `BlobStore`.
  func delete(_ name: BlobName) async throws {
    try await asked { try await self.pool.transaction { try Self.delete([name], in: $0) } }
  }

  /// See `BlobStore`.
  func list(_ kind: BlobKind, after name: String?, limit: Int) async throws -> [BlobListing] {
    try await asked {
      try await self.pool.read { connection in
        try connection.run(
          "SELECT name, stored_at FROM blobs WHERE kind = $1 AND name > $2 ORDER BY name LIMIT $3",
          [.text(kind.rawValue), .text(name ?? ""), .init(limit)]
        ).rows.map {
          BlobListing(name: try $0.text("name"), storedAt: Date(microseconds: try $0.integer("stored_at")))
        }
      }
    }
  }

  /// See `BlobStore`.
  func location(of name: BlobName) -> String { "the database's \(name.kind.rawValue) \(name.name)" }

  /// See `BlobStore`. Checks the local disk of temporary files; the store's own check queries the database.
  func checkWritable() async throws {
    let staged = try await stage()
    do {
      try await staged.append([UInt8](repeating: 0, count: 8192))
    } catch {
      await staged.discard()
      throw error
    }
    await staged.discard()
  }

  private func asked<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
    do {
      return try await work()
    } catch let error as PostgresError {
      throw StoreError.from(error)
    }
  }
}

// MARK: - Within a transaction

extension PostgresBlobs {
  /// Stores a file's bytes under a name, replacing any blob of that name.
  static func insert(fileAt path: String, as name: BlobName, in connection: PostgresConnection) throws {
    guard let file = try? FileHandle(forReadingFrom: URL(fileURLWithPath: path)) else {
      throw StoreError.unavailable("\(path) was stored or given up before")
    }
    defer { try? file.close() }
    try insert(as: name, in: connection) { [UInt8](try file.read(upToCount: partSize) ?? Data()) }
  }

  /// Stores bytes under a name, replacing any blob of that name.
  static func insert(_ bytes: [UInt8], as name: BlobName, in connection: PostgresConnection) throws {
    var rest = bytes[...]
    try insert(as: name, in: connection) {
      defer { rest = rest.dropFirst(partSize) }
      return [UInt8](rest.prefix(partSize))
    }
  }

  /// Stores one part after another until `next` returns an empty one.
  private static func insert(
    as name: BlobName, in connection: PostgresConnection, next: () throws -> [UInt8]
  ) throws {
    try delete([name], in: connection)
    let row = try connection.run(
      "INSERT INTO blobs (kind, name, size, stored_at) VALUES ($1, $2, 0, store_now()) RETURNING blob",
      [.text(name.kind.rawValue), .text(name.name)]
    ).first
    guard let blob = try row?.integer("blob") else { throw StoreError.unavailable("the database returned no row") }
    var (number, size) = (0, 0)
    while case let part = try next(), !part.isEmpty {
      try connection.run(
        "INSERT INTO blob_parts (blob, number, bytes) VALUES ($1, $2, $3)",
        [.integer(blob), .init(number), .bytes(part)])
      number += 1
      size += part.count
    }
    try connection.run("UPDATE blobs SET size = $2 WHERE blob = $1", [.integer(blob), .init(size)])
  }

  /// Deletes blobs; `removeParts` deletes their bytes later.
  static func delete(_ names: [BlobName], in connection: PostgresConnection) throws {
    for name in names where !name.name.utf8.contains(0) {
      try connection.run(
        """
        WITH gone AS (DELETE FROM blobs WHERE kind = $1 AND name = $2 RETURNING blob)
        INSERT INTO blob_part_removals SELECT blob, store_now() FROM gone
        """, [.text(name.kind.rawValue), .text(name.name)])
    }
  }

  /// Deletes the bytes of a few deleted blobs. Returns the number of blobs.
  static func removeParts(in connection: PostgresConnection) throws -> Int {
    try connection.run(
      """
      WITH due AS MATERIALIZED (
        SELECT blob FROM blob_part_removals WHERE since <= store_now() - $1 ORDER BY blob LIMIT 20
        FOR UPDATE SKIP LOCKED),
      parts AS (DELETE FROM blob_parts WHERE blob IN (SELECT blob FROM due))
      DELETE FROM blob_part_removals WHERE blob IN (SELECT blob FROM due)
      """, [.integer(deletionGrace.microseconds)]
    ).changed
  }
}

/// A blob read from its rows.
private struct OpenRows: OpenBlob {
  let pool: PostgresPool
  let blob: Int64
  let size: Int

  func read(at offset: Int, count: Int) async throws -> [UInt8] {
    let wanted = max(0, min(count, size - offset))
    guard offset >= 0, wanted > 0 else { return [] }
    let blob = blob
    let (part, end) = (PostgresBlobs.partSize, offset + wanted)
    let bytes: [UInt8]
    do {
      bytes = try await pool.read { connection in
        var bytes: [UInt8] = []
        // One statement per part, so that no result is larger than a part.
        for number in stride(from: offset / part, through: (end - 1) / part, by: 1) {
          let (from, to) = (max(offset, number * part) - number * part, min(end, (number + 1) * part) - number * part)
          let row = try connection.run(
            "SELECT substring(bytes FROM $3::int FOR $4::int) AS bytes FROM blob_parts WHERE blob = $1 AND number = $2",
            [.integer(blob), .init(number), .init(from + 1), .init(to - from)], inBinary: true
          ).first
          bytes += try row?.optionalBytes("bytes") ?? []
        }
        return bytes
      }
    } catch let error as PostgresError {
      throw StoreError.from(error)
    }
    guard bytes.count == wanted else { throw StoreError.unavailable("a stored file was deleted while it was read") }
    return bytes
  }
}

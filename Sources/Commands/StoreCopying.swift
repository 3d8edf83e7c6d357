import Foundation
import JobStore
import PostgresStore
import SQLiteStore

/// Copies everything from one store to another, row by row in the order of their keys. Keeps rows that already exist.
struct StoreCopying {
  /// The number of items in the source, and how many of them are in the destination.
  struct Outcome: Sendable, Equatable {
    /// The counts by table name, or `photos`.
    var counts: [(name: String, had: Int, has: Int)] = []
    var isComplete: Bool { counts.allSatisfy { $0.had == $0.has } }

    static func == (one: Self, other: Self) -> Bool {
      one.counts.elementsEqual(other.counts) { $0 == $1 }
    }
  }

  let source: SQLiteJobStore
  let target: PostgresStore

  /// Rows read and looked up at a time.
  private static let batch = 200
  private static let chunk = 1 << 20

  /// Copies, reports a line for each table, and finally checks for every row and photo that it arrived.
  func run(_ tell: (String) throws -> Void) async throws -> Outcome {
    let mark = try await source.birthMark()
    try await target.beginCopy(from: mark, last: lastNumbers())
    for table in StoredRow.tables {
      let new = try await eachBatch(of: table) { try await add($0, into: table) }
      try tell("\(table.name): \(new) copied")
    }
    try tell("reports: \(try await addReports()) copied")
    try tell("configuration codes: \(try await target.addModelCodes(try await source.modelCodes())) copied")
    var outcome = Outcome()
    for table in StoredRow.tables {
      var missing = 0
      _ = try await eachBatch(of: table) { rows in
        missing += try await target.missing(rows, in: table.name, key: table.key).count
        return 0
      }
      let had = try await source.rowCount(of: table.name)
      outcome.counts.append((table.name, had, had - missing))
    }
    outcome.counts.append(try await countedPhotos())
    for count in outcome.counts { try tell("\(count.name): \(count.has) of \(count.had) are there") }
    if outcome.isComplete { try await target.endCopy(from: mark) }
    return outcome
  }

  private func lastNumbers() async throws -> [String: Int64] {
    var last: [String: Int64] = [:]
    for table in StoredRow.tables where !["api_keys", "verdict_counts"].contains(table.name) {
      last[table.name] = try await source.lastNumber(of: table.name, key: table.key)
    }
    return last
  }

  private func eachBatch(
    of table: (name: String, key: String), _ work: ([StoredRow]) async throws -> Int
  ) async throws -> Int {
    var (last, sum): (StoredRow.Value?, Int) = (nil, 0)
    while true {
      let rows = try await source.rows(of: table.name, key: table.key, after: last, limit: Self.batch)
      guard let end = rows.last else { return sum }
      last = end.values[table.key]
      sum += try await work(rows)
    }
  }

  private func add(_ rows: [StoredRow], into table: (name: String, key: String)) async throws -> Int {
    let new = try await target.missing(rows, in: table.name, key: table.key).map { $0.waiting(in: table.name) }
    guard table.name == "jobs" else {
      try await target.add(new, into: table.name)
      return new.count
    }
    // A job is added together with its photo, other rows in batches.
    var bare: [StoredRow] = []
    for row in new {
      let names = row.blobs
      var staged: [(name: BlobName, staged: any StagedBlob)] = []
      for name in names {
        if let blob = try await stage(name) { staged.append((name, blob)) }
      }
      if staged.isEmpty { bare.append(row) } else { try await target.add([row], into: table.name, with: staged) }
    }
    try await target.add(bare, into: table.name)
    return new.count
  }

  /// Stages a copy of a file; nil if the file does not exist.
  private func stage(_ name: BlobName) async throws -> (any StagedBlob)? {
    guard let blob = try await source.blobs.open(name) else { return nil }
    let staged = try await target.blobs.stage()
    var offset = 0
    while offset < blob.size {
      let bytes = try await blob.read(at: offset, count: Self.chunk)
      guard !bytes.isEmpty else { break }
      try await staged.append(bytes)
      offset += bytes.count
    }
    return staged
  }

  private func addReports() async throws -> Int {
    var (last, count): (String?, Int) = (nil, 0)
    while true {
      let reports = try await source.blobs.list(.report, after: last, limit: Self.batch)
      guard let end = reports.last else { return count }
      last = end.name
      for report in reports {
        let name = BlobName(.report, report.name)
        guard try await target.blobs.open(name) == nil, let staged = try await stage(name) else { continue }
        try await target.blobs.commit(staged, as: name)
        count += 1
      }
    }
  }

  /// Counts the photos that jobs name and the folder contains.
  private func countedPhotos() async throws -> (name: String, had: Int, has: Int) {
    var (had, has) = (0, 0)
    for table in StoredRow.tables where table.name == "jobs" {
      _ = try await eachBatch(of: table) { rows in
        for name in rows.flatMap(\.blobs) where name.kind == .photo {
          guard let photo = try await source.blobs.open(name) else { continue }
          had += 1
          if try await target.blobs.open(name)?.size == photo.size { has += 1 }
        }
        return 0
      }
    }
    return ("photos", had, has)
  }
}

extension StoredRow {
  /// The photo and the annotated picture of a job's row.
  fileprivate var blobs: [BlobName] {
    guard let id = text("id"), let photo = text("photo"), integer("photo_pruned") == 0 else { return [] }
    let names = [BlobName(.photo, photo)]
    return integer("annotate") == 0 ? names : names + [.annotation(ofJob: id)]
  }

  /// Returns the row with work in progress put back in the queue: `processing` becomes `queued`, without a claim.
  fileprivate func waiting(in table: String) -> StoredRow {
    guard ["jobs", "tasks"].contains(table), text("state") == "processing" else { return self }
    var row = self
    row.values["state"] = .text("queued")
    row.values["message"] = .text("Waiting")
    for column in ["token", "holder"] { row.values[column] = .null }
    return row
  }
}

import Foundation
import JobStore
import PostgresStore
import SQLStore
import ScanModel

/// Workers whose readers return immediately, for `Benchmarks/shared_store.py`.
///
/// usage: StoreLoad ADDRESS JOBS WORKERS CONNECTIONS   claims and ends JOBS waiting jobs, and prints how many a second
///        StoreLoad fleet ADDRESS MACHINES WORKERS SECONDS     runs machines whose workers read for SECONDS and find nothing,
///                                                     until the input ends
///        StoreLoad statements                         prints the statements of a claim and an end as pgbench takes them
///        StoreLoad upload                             prints those of an upload of `:bytes` bytes
///        StoreLoad queue                              prints all statements of the queue, a NUL behind each
@main struct StoreLoad {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "statements": return print(claims)
    case "upload": return print(upload)
    case "queue": return print(queue.map { $0 + "\0" }.joined())
    default: break
    }
    if arguments.first == "fleet" { return try await fleet(arguments.dropFirst()) }
    guard arguments.count == 4, let jobs = Int(arguments[1]), let workers = Int(arguments[2]),
      let connections = Int(arguments[3])
    else { exit(64) }
    let store = try PostgresStore(
      address: arguments[0], options: .init(isServer: true, connections: connections))
    let start = ContinuousClock.now
    let ended = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<workers {
        group.addTask {
          var count = 0
          while let claimed = try await store.claimNext(worker: "load/\(number)", lease: 60) {
            try await store.finish(claimed.claim, with: .read(.nothing, save: false))
            count += 1
          }
          return count
        }
      }
      var sum = 0
      for try await count in group { sum += count }
      return sum
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    print("{\"ended\": \(ended), \"of\": \(jobs), \"seconds\": \(seconds), \"per_second\": \(Double(ended) / seconds)}")
    try await store.close()
  }

  private static func fleet(_ arguments: ArraySlice<String>) async throws {
    let numbers = arguments.dropFirst().compactMap(Double.init)
    guard let address = arguments.first, numbers.count == 3, let machines = Int(exactly: numbers[0]),
      let workers = Int(exactly: numbers[1])
    else { exit(64) }
    try await SleepingFleet(address: address, reading: numbers[2]).run(machines: machines, workers: workers)
  }

  /// The store's own statements with pgbench's variables in place of their parameters.
  private static var claims: String {
    let claim = filled(
      PostgresStore.claimStatement,
      [":token::text", "'bench'::text", "'bench'::text", "60000000::bigint", "'Reading'::text"])
    let finish = filled(
      PostgresStore.finishStatement,
      [
        ":id::text", ":token::text", "'failed'::text", "'Done'::text", "'{}'::text", "NULL", "NULL", "false",
        "'refused'::text",
      ])
    return """
      \\set token random(1, 1000000000)
      \(claim) \\gset
      BEGIN;
      \(finish);
      COMMIT;
      """
  }

  private static var upload: String {
    let enqueue = filled(
      PostgresStore.enqueueUncountedStatement,
      [
        "gen_random_uuid()::text", "'Waiting'::text", "'x.jpg'::text", "0", ":bytes", "NULL", "NULL", "true", "false",
        "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "false",
      ])
    return """
      BEGIN;
      \(enqueue);
      INSERT INTO blobs (kind, name, size, stored_at)
      VALUES ('photo', gen_random_uuid()::text || '.jpg', :bytes, store_now()) RETURNING blob \\gset
      INSERT INTO blob_parts SELECT :blob, 0, substring(bytes FOR :bytes) FROM random_bytes;
      COMMIT;
      """
  }

  private static let queue =
    [
      PostgresStore.claimStatement, PostgresStore.finishStatement, PostgresStore.enqueueStatement,
      PostgresStore.enqueueUncountedStatement, PostgresStore.countsStatement, PostgresStore.longestWait,
      PostgresStore.latestReadings, PostgresStore.prunePhotosStatement, PostgresStore.pruneJobsStatement,
    ]
    + [JobFilter(), JobFilter(state: .failed), JobFilter(verdict: .uncertain)].map {
      PostgresStore.latestJobs($0, before: .max, limit: 100).text(in: PostgresStore.dialect)
    }

  private static func filled(_ sql: String, _ values: [String]) -> String {
    values.indices.reversed().reduce(sql) { $0.replacing("$\($1 + 1)", with: values[$1]) }
  }
}

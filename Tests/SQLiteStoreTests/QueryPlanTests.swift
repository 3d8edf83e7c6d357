import Foundation
import GRDB
import JobStore
import SQLStore
import SQLiteStore
import StoreConformance
import Testing

/// Plans of the queue: each uses an index, and none scans the jobs.
@Suite struct QueryPlanTests {
  /// The statements that both databases run.
  private static let shared: [(SQLStatement, index: String)] = {
    let latest: [(JobFilter, index: String)] = [
      (JobFilter(), "PRIMARY KEY"), (JobFilter(state: .failed), "jobs_state"),
      (JobFilter(verdict: .uncertain), "jobs_verdict"),
      (JobFilter(verdict: .uncertain, isConfirmed: false), "jobs_verdict"),
      (JobFilter(verdict: .uncertain, isConfirmed: false, isReviewed: false), "jobs_to_check"),
      (
        JobFilter(verdict: .uncertain, isConfirmed: false, isReviewed: false, from: .now, until: .now), "jobs_to_check"
      ),
      (JobFilter(verdict: .refused, isConfirmed: false, isReviewed: false, keyID: "k"), "jobs_to_check_of_key"),
      (JobFilter(isReviewed: true), "jobs_reviewed"), (JobFilter(verdict: .refused, isReviewed: true), "jobs_reviewed"),
      (JobFilter(verdict: .accepted, isConfirmed: true), "jobs_confirmed"),
      (JobFilter(isConfirmed: true), "jobs_confirmed"), (JobFilter(keyID: "k"), "jobs_key"),
      (JobFilter(batchID: "b"), "jobs_batch"), (JobFilter(state: .failed, batchID: "b"), "jobs_batch"),
      (JobFilter(verdict: .uncertain, isConfirmed: false, batchID: "b"), "jobs_batch"),
      (JobFilter(verdict: .uncertain, isConfirmed: false, isReviewed: false, batchID: "b"), "jobs_batch"),
    ]
    let read = ReadInQuestion(serial: "C02XL0THJHCC", jobID: nil, readAt: .now)
    return latest.map { (SQLiteJobStore.latestJobs($0, before: .max, limit: 10), $1) } + [
      (SQLiteJobStore.endedJobs(after: EndPosition(time: 1), keyID: nil, limit: 10), "jobs_ended"),
      (SQLiteJobStore.endedJobs(after: EndPosition(time: 1), keyID: "k", limit: 10), "jobs_ended"),
      (SQLiteJobStore.photoTallies(of: ["b"]), "jobs_batch_tally"),
      (SQLiteJobStore.photoTallies(of: ["a", "b"]), "jobs_batch_tally"),
      (SQLiteJobStore.latestBatches(areOpen: nil, before: .max, limit: 10), "PRIMARY KEY"),
      (SQLiteJobStore.latestBatches(areOpen: true, before: .max, limit: 10), "batches_open"),
      (SQLiteJobStore.earlierRead(read), "serials_serial"),
      (SQLiteJobStore.oldestReads(ofDevice: "C02XL0THJHCC", limit: 100), "serials_serial_time"),
      (SQLiteJobStore.saved(["C02XL0THJHCC"], fromPhoto: "j"), "serials_serial"),
      (SQLiteJobStore.duplicate(of: "j", by: "max"), "jobs_duplicates"),
      ("SELECT \(sql: SQLiteJobStore.tallied) FROM jobs WHERE seq = 1", "jobs_duplicates (duplicate_of=? AND rowid>?)"),
      (SQLiteJobStore.verdictsByHour(from: 0, to: 1), "INTEGER PRIMARY KEY"),
      (SQLiteJobStore.webhook(ofJob: "a"), "sqlite_autoindex_webhooks_1"),
      (SQLiteJobStore.webhookList(WebhookFilter(), before: .max, limit: 10), "INTEGER PRIMARY KEY"),
      (SQLiteJobStore.webhookList(WebhookFilter(state: .failed), before: .max, limit: 10), "webhooks_state"),
      (SQLiteJobStore.webhookCountsByState, "webhooks_state"),
      (SQLiteJobStore.modelsOfCode("MD6N", limit: 2), "sqlite_autoindex_model_codes_1"),
    ]
  }()

  @Test func queueStatementsUseIndexes() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite", options: .init(isServer: true))
      let statements: [(String, index: String)] =
        [
          (SQLiteJobStore.nextJob, "jobs_waiting"),
          (SQLiteJobStore.claimStatement, "jobs_waiting"),
          (SQLiteJobStore.aheadStatement, "jobs_waiting"),
          (SQLiteJobStore.rescueAbandonedStatement, "jobs_held"),
          (SQLiteJobStore.rescueExpiredStatement, "jobs_held"),
          (SQLiteJobStore.oldestWaiting, "jobs_waiting_since"),
          (SQLiteJobStore.prunePhotosStatement, "jobs_photo_kept"),
          (SQLiteJobStore.photoBytes, "jobs_photo_kept"),
          (SQLiteJobStore.pruneJobsStatement, "jobs_ended"),
          (store.dueWebhooks(limit: 8).text(in: SQLiteJobStore.dialect), "webhooks_due"),
          (store.abandonedWebhook.text(in: SQLiteJobStore.dialect), "webhooks_held"),
        ] + Self.shared.map { ($0.text(in: SQLiteJobStore.dialect), $1) }
      for (sql, index) in statements {
        let plan = try await plan(of: sql, in: store)
        #expect(plan.contains { $0.contains(index) }, "\(plan)")
        for step in plan where step.hasPrefix("SCAN") {
          #expect(step.contains("USING") || step.contains("CONSTANT ROW"), "\(sql): \(plan)")
        }
        #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(sql): \(plan)")
      }
      // The bytes of photos are summed without reading the jobs.
      let columns = try await store.pool.read {
        try String.fetchAll($0, sql: "SELECT name FROM pragma_index_info('jobs_photo_kept')")
      }
      #expect(columns == ["ended_at", "seq", "photo_bytes"])
      // Distinct serials are counted in memory, without reading the rows.
      let plan = try await plan(of: SQLiteJobStore.serialTallies(of: ["a", "b"]), in: store)
      #expect(plan.contains { $0.contains("COVERING INDEX serials_batch_serial") }, "\(plan)")
    }
  }
}

/// Plans for lists of saved serials.
@Suite struct SerialQueryPlanTests {
  @Test(arguments: SerialQuery.Sort.allCases) func everyOrderWalksItsIndex(sort: SerialQuery.Sort) async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      for number in 0..<2 {
        _ = try await store.save(
          NewSerial(serial: "C02XL0THJHCC", confidence: 1, source: .ios, isValid: true, deviceType: "iPad \(number)"))
      }
      for ascending in [true, false] {
        var query = SerialQuery(sort: sort, ascending: ascending, limit: 1)
        for _ in 0..<2 {
          let plan = try await plan(of: SQLiteJobStore.serialList(query), in: store)
          #expect(plan.contains { $0.contains("serials_\(sort.rawValue)") }, "\(plan)")
          #expect(plan.filter { $0.contains("TEMP B-TREE") } == ["USE TEMP B-TREE FOR ORDER BY"], "\(plan)")
          #expect(plan.first == "CO-ROUTINE serials" && plan.last == "USE TEMP B-TREE FOR ORDER BY", "\(plan)")
          query.cursor = try await store.serials(query).nextCursor
        }
      }
    }
  }

  /// A page is selected before what is beside its rows is looked up, and then sorted once more.
  @Test(arguments: [SerialFilter(deviceType: "iPad"), SerialFilter(search: "MD6N"), SerialFilter(batchID: "b")])
  func lookupsAreForRowsOfPage(filter: SerialFilter) async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let plan = try await plan(of: SQLiteJobStore.serialList(SerialQuery(filter: filter)), in: store)
      let sorted = try #require(plan.firstIndex { $0.contains("SCAN serials") })
      #expect(plan[0] == "CO-ROUTINE serials", "\(plan)")
      #expect(!plan[..<sorted].contains { $0.contains("SEARCH earlier") }, "\(plan)")
    }
  }

  @Test func searchUsesItsIndex() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let long = try await plan(of: SQLiteJobStore.serialList(SerialQuery(filter: .init(search: "MD6N"))), in: store)
      #expect(long.contains { $0.contains("serial_search VIRTUAL TABLE INDEX") }, "\(long)")
      let short = try await plan(of: SQLiteJobStore.serialList(SerialQuery(filter: .init(search: "C0"))), in: store)
      #expect(short.contains { $0.contains("SEARCH serials USING INDEX serials_serial") }, "\(short)")
    }
  }
}

/// Plans of what is read beside a saved serial.
@Suite struct SavedSerialQueryPlanTests {
  @Test(arguments: [
    "SELECT \(SavedSerial.columns) FROM serials", "UPDATE serials SET notes = '' RETURNING \(SavedSerial.columns)",
  ])
  func everyColumnUsesAnIndex(statement: String) async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let plan = try await plan(of: statement, in: store)
      #expect(plan.filter { $0.hasPrefix("SCAN") } == ["SCAN serials"], "\(plan)")
      #expect(plan.contains { $0.contains("serials_serial_time (serial=? AND created_at<?)") }, "\(plan)")
    }
  }
}

/// Plans for lists of devices.
@Suite struct DeviceQueryPlanTests {
  /// Filters with the index that a list in the default order walks.
  private static let filters: [(DeviceFilter, index: String)] = [
    (DeviceFilter(), "devices_last_seen"), (DeviceFilter(status: .uncertain), "devices_status"),
    (DeviceFilter(deviceType: "iPad"), "devices_type_seen"), (DeviceFilter(isValid: false), "devices_invalid"),
    (DeviceFilter(source: .ios), "device_facets_seen"), (DeviceFilter(keyID: "k"), "device_facets_seen"),
    (DeviceFilter(custom: ["tag": "RM-1"]), "device_facets_seen"),
    (DeviceFilter(source: .ios, from: .now, custom: ["tag": "RM-1"], keyID: "k"), "device_facets_seen"),
  ]

  @Test func everyFilterWalksItsIndex() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let cursor = Cursor(value: .integer(5), number: 5, order: "devices.last_seen").text
      for (filter, index) in Self.filters {
        for cursor in [nil, cursor] {
          let query = DeviceQuery(filter: filter, cursor: cursor)
          let plan = try await plan(of: SQLiteJobStore.deviceList(query, isFew: true), in: store)
          #expect(plan.contains { $0.contains(index) }, "\(filter) \(plan)")
          #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0 == "SCAN devices" }, "\(filter) \(plan)")
        }
      }
    }
  }

  @Test(arguments: DeviceQuery.Sort.allCases)
  func everyOrderAndRareFacetUseIndexes(sort: DeviceQuery.Sort) async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let index = sort == .serial ? "sqlite_autoindex_devices" : "devices_\(sort.rawValue)"
      for ascending in [true, false] {
        for source in [nil, SerialSource.ios] {
          let query = DeviceQuery(filter: DeviceFilter(source: source), sort: sort, ascending: ascending)
          guard source == nil || sort != .lastSeen else { continue }
          let many = try await plan(of: SQLiteJobStore.deviceList(query, isFew: false), in: store)
          #expect(many.contains { $0.contains(index) }, "\(many)")
          #expect(!many.contains { $0.contains("TEMP B-TREE") }, "\(many)")
        }
        let query = DeviceQuery(filter: DeviceFilter(custom: ["tag": "RM-1"]), sort: sort, ascending: ascending)
        guard sort != .lastSeen else { continue }
        let few = try await plan(of: SQLiteJobStore.deviceList(query, isFew: true), in: store)
        #expect(few.contains { $0.contains("SEARCH devices USING INTEGER PRIMARY KEY") }, "\(few)")
        #expect(few.contains { $0.contains("device_facets_seen") }, "\(few)")
      }
    }
  }

  /// The devices of a batch that are also searched for, or have a facet. Together, the index of serials would be asked for
  /// each serial of the batch with each device that is found.
  @Test(arguments: [DeviceFilter(search: "RM-1", batchID: "b"), DeviceFilter(source: .ios, batchID: "b")])
  func batchIsNotMultipliedByWhatIsFound(filter: DeviceFilter) async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      var statements = [SQLiteJobStore.deviceTally(filter)]
      for sort in DeviceQuery.Sort.allCases {
        for isFew in [true, false] {
          let query = DeviceQuery(filter: filter, sort: sort)
          statements.append(try SQLiteJobStore.deviceList(query, isFew: isFew))
        }
      }
      for statement in statements {
        let plan = try await plan(of: statement, in: store)
        #expect(!plan.contains { $0.contains("(serial=? AND rowid=?)") }, "\(plan)")
      }
    }
  }

  @Test func searchAndPhotoHashUseIndexes() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let query = DeviceQuery(filter: DeviceFilter(search: "RM-1", custom: ["tag": "RM-1"]))
      let found = try await plan(of: SQLiteJobStore.deviceList(query, isFew: true), in: store)
      #expect(found.contains { $0.contains("device_search VIRTUAL TABLE INDEX") }, "\(found)")
      for look in [SQLiteJobStore.firstReading(ofPhotoOf: "x"), SQLiteJobStore.decidedJob(ofPhotoOf: "x")] {
        let found = try await plan(of: look, in: store)
        #expect(
          found.contains { $0.contains("jobs_first_of_photo") } && !found.contains { $0.hasPrefix("SCAN") }, "\(found)")
      }
    }
  }

  /// A facet's value is shared by most devices, so a change of one read must find facets by their device.
  @Test func triggersFindFacetsByDevice() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let triggers = try await store.pool.read {
        try String.fetchAll($0, sql: "SELECT sql FROM sqlite_master WHERE type = 'trigger'")
      }
      #expect(triggers.contains { $0.contains("UPDATE device_facets") })
      for trigger in triggers {
        let begin = try #require(trigger.range(of: "BEGIN"))
        let end = try #require(trigger.range(of: "END", options: .backwards))
        let body = trigger[begin.upperBound..<end.lowerBound].replacing(/(NEW|OLD)\.\w+/, with: "'x'")
        for statement in body.split(separator: ";") where !statement.allSatisfy(\.isWhitespace) {
          let plan = try await plan(of: String(statement), in: store)
          #expect(!plan.contains { $0.contains("device_facets_seen") }, "\(statement): \(plan)")
          #expect(!plan.contains { $0.hasPrefix("SCAN") && $0 != "SCAN CONSTANT ROW" }, "\(statement): \(plan)")
        }
      }
    }
  }
}

func plan(of statement: SQLStatement, in store: SQLiteJobStore) async throws -> [String] {
  try await plan(of: statement.text(in: SQLiteJobStore.dialect), in: store)
}

/// The steps of a statement's plan, in SQLite's words.
func plan(of sql: String, in store: SQLiteJobStore) async throws -> [String] {
  try await store.pool.read { database in
    let statement = try database.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
    statement.setUncheckedArguments(StatementArguments())
    return try Row.fetchAll(statement).map { $0["detail"] }
  }
}

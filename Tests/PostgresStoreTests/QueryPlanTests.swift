import Foundation
import JobStore
import PostgresClient
import PostgresStore
import SQLStore
import TestCluster
import Testing

/// Plans of the queue: at 1,000 and at 50,000 jobs each statement uses an index.
/// `Benchmarks/shared_store.py plans` checks them at a million.
@Suite(.enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES")) struct PostgresQueryPlanTests {
  private static let statements =
    [
      PostgresStore.claimStatement, PostgresStore.finishStatement, PostgresStore.enqueueStatement,
      PostgresStore.enqueueUncountedStatement, PostgresStore.countsStatement, PostgresStore.longestWait,
      PostgresStore.latestReadings, PostgresStore.machinesStatement, PostgresStore.idleStatement,
      PostgresStore.prunePhotosStatement, PostgresStore.pruneJobsStatement,
    ] + shared.map { $0.text(in: PostgresStore.dialect) }

  /// The statements that both databases run.
  private static let shared: [SQLStatement] =
    [
      JobFilter(), JobFilter(state: .failed), JobFilter(verdict: .uncertain),
      JobFilter(verdict: .uncertain, isConfirmed: false), JobFilter(isConfirmed: true), JobFilter(keyID: "k"),
      JobFilter(batchID: "b"), JobFilter(verdict: .uncertain, isConfirmed: false, batchID: "b"),
      JobFilter(verdict: .uncertain, isConfirmed: false, isReviewed: false), JobFilter(isReviewed: true),
      JobFilter(verdict: .uncertain, isConfirmed: false, isReviewed: false, from: .now, until: .now),
      JobFilter(verdict: .uncertain, isConfirmed: false, isReviewed: false, keyID: "k"),
      JobFilter(verdict: .uncertain, isConfirmed: true), JobFilter(verdict: .uncertain, isReviewed: true),
    ].map { PostgresStore.latestJobs($0, before: .max, limit: 10) } + [
      PostgresStore.endedJobs(after: EndPosition(time: 1), keyID: nil, limit: 10),
      PostgresStore.endedJobs(after: EndPosition(time: 1), keyID: "k", limit: 10),
      PostgresStore.photoTallies(of: ["b"]), PostgresStore.photoTallies(of: ["a", "b"]),
      PostgresStore.verdictsByHour(from: 0, to: 1), PostgresStore.verdictsByHour(from: 0, to: 1, batchID: "b"),
    ]

  @Test(arguments: [1_000, 50_000]) func noStatementScansAllJobs(count: Int) async throws {
    try await withFreshDatabase { address in
      try await PostgresStore(address: address, options: .init(isServer: true, connections: 1)).close()
      let connection = try Self.connection(to: address)
      try connection.run(
        """
        INSERT INTO jobs (id, state, message, created_at, updated_at, started_at, ended_at, photo, photo_bytes, persist,
          annotate, verdict, worker)
        SELECT 'job-' || n, CASE WHEN n % 100 = 0 THEN 'queued' ELSE 'completed' END, '', n, n, n,
          CASE WHEN n % 100 = 0 THEN NULL ELSE n END, n || '.jpg', 1000, true, false,
          CASE WHEN n % 100 = 0 THEN NULL WHEN n % 50 = 1 THEN 'uncertain' ELSE 'accepted' END, 'w'
        FROM generate_series(1, $1::int) AS n
        """, [.init(count)])
      try connection.run("ANALYZE jobs")
      try connection.run("SET plan_cache_mode = force_generic_plan")
      for (number, sql) in Self.statements.enumerated() {
        let plan = try Self.plan(of: sql, number, in: connection)
        #expect(!plan.contains("Seq Scan on jobs"), "\(sql)\n\(plan)")
        #expect(!plan.contains("Sort Key: jobs.seq"), "\(sql)\n\(plan)")
      }
    }
  }

  /// The trigger of deleted jobs looks for others of the same photo. With its kept plan it must not walk all jobs, even if
  /// most photos that were sent again were sent often.
  @Test func deletedJobsAreNotComparedWithAllOthers() async throws {
    try await withFreshDatabase { address in
      try await PostgresStore(address: address, options: .init(isServer: true, connections: 1)).close()
      let connection = try Self.connection(to: address)
      try connection.run(
        """
        INSERT INTO jobs (id, state, message, created_at, updated_at, ended_at, photo, photo_bytes, persist, annotate,
          duplicate_of)
        SELECT 'job-' || n, 'completed', '', n, n, n, n || '.jpg', 1000, true, false,
          CASE WHEN n % 10 = 0 AND n > 10 THEN 'job-10' END
        FROM generate_series(1, 20000) AS n
        """)
      try connection.run("ANALYZE jobs")
      try connection.run("BEGIN")
      try connection.run("DELETE FROM jobs WHERE seq <= 9 OR seq BETWEEN 101 AND 109")
      let read = try connection.run(
        "SELECT idx_tup_fetch + seq_tup_read AS n FROM pg_stat_xact_user_tables WHERE relname = 'jobs'")
      try connection.run("ROLLBACK")
      #expect(try #require(read.rows.first).integer("n") < 50_000)
    }
  }

  /// Claims and lists of webhooks, and the models of a code.
  @Test func webhooksAndModelCodesUseTheirIndexes() async throws {
    try await withFreshDatabase { address in
      let store = try PostgresStore(address: address, options: .init(isServer: true, connections: 1))
      let connection = try Self.connection(to: address)
      try connection.run(
        """
        INSERT INTO webhooks (job_id, url, state, created_at, begun_at, updated_at, due_at, holder)
        SELECT 'job-' || n, 'https://a', CASE WHEN n % 50 = 0 THEN 'waiting' ELSE 'delivered' END, n, n, n, n,
          CASE WHEN n % 5000 = 0 THEN 'gone' END
        FROM generate_series(1, 50000) AS n
        """)
      try connection.run(
        "INSERT INTO model_codes (code, model) SELECT n::text, 'A' || n FROM generate_series(1, 50000) AS n")
      try connection.run("ANALYZE webhooks, model_codes")
      try connection.run("SET plan_cache_mode = force_generic_plan")
      let statements: [(SQLStatement, index: String)] = [
        (store.dueWebhooks(limit: 8), "webhooks_due"), (store.abandonedWebhook, "webhooks_held"),
        (PostgresStore.webhook(ofJob: "job-1"), "webhooks_job_id_key"),
        (PostgresStore.webhookList(WebhookFilter(), before: .max, limit: 10), "webhooks_pkey"),
        // Without the value, the planner can't know that the state is rare, and may walk the numbers.
        (PostgresStore.webhookList(WebhookFilter(state: .failed), before: .max, limit: 10), "webhooks_"),
        (PostgresStore.webhookCountsByState, "webhooks_state"),
        (PostgresStore.modelsOfCode("77", limit: 2), "model_codes_pkey"),
      ]
      for (number, (statement, index)) in statements.enumerated() {
        let plan = try Self.plan(of: statement.text(in: PostgresStore.dialect), number, in: connection)
        #expect(plan.contains(index) && !plan.contains(#/Seq Scan on (webhooks|model_codes)/#), "\(index)\n\(plan)")
      }
      try await store.close()
    }
  }

  /// Lists of saved serials, forward and by cursor, and searches.
  @Test func listsAndSearchesOfSerialsUseTheirIndexes() async throws {
    try await withFreshDatabase { address in
      try await PostgresStore(address: address, options: .init(isServer: true, connections: 1)).close()
      let connection = try Self.connection(to: address)
      try connection.run(
        """
        INSERT INTO serials (created_at, serial, device_type, confidence, source, valid, device_type_key, search_text)
        SELECT n, md5(n::text), 'iPad ' || n, (n % 100) / 100.0, 'ios', true, 'ipad ' || n, md5(n::text) || ' ipad ' || n
        FROM generate_series(1, 50000) AS n
        """)
      // The index of parts keeps what is new in a list that is read from end to end, until it is vacuumed.
      try connection.runScript("VACUUM ANALYZE serials")
      var plans: [(plan: String, index: String)] = []
      func add(_ query: SerialQuery, _ index: String) throws {
        plans.append((try Self.plan(of: PostgresStore.serialList(query), in: connection), index))
      }
      let places: [(SerialQuery.Sort, Cursor.Value, index: String)] = [
        (.createdAt, .integer(25_000), "serials_created_at"), (.serial, .text("7f"), "serials_serial"),
        (.confidence, .real(0.5), "serials_confidence"), (.deviceType, .text("ipad 3"), "serials_device_type_key"),
      ]
      for (sort, value, index) in places {
        for ascending in [true, false] {
          var query = SerialQuery(sort: sort, ascending: ascending)
          try add(query, index)
          query.cursor = Cursor(value: value, number: 7, order: query.cursorName).text
          try add(query, index)
        }
      }
      try add(SerialQuery(filter: SerialFilter(search: "f1e2d3c4")), "serials_search_text")
      try add(SerialQuery(filter: SerialFilter(search: "7f")), "serials_serial")
      try add(SerialQuery(filter: SerialFilter(deviceType: "iPad 77")), "serials_device_type_key")
      for (plan, index) in plans {
        #expect(plan.contains(index) && !plan.contains("Seq Scan on serials"), "\(index)\n\(plan)")
      }
    }
  }

  /// Lists of devices by every filter and order, forward and by cursor, and the first job of a photo.
  @Test func listsOfDevicesUseTheirIndexes() async throws {
    try await withFreshDatabase { address in
      try await PostgresStore(address: address, options: .init(isServer: true, connections: 1)).close()
      let connection = try Self.connection(to: address)
      try connection.run(
        """
        INSERT INTO devices (serial, first_seen, last_seen, times_seen, device_type, device_type_key, status, valid, search_text)
        SELECT md5(n::text), n, n, n, 'iPad ' || n % 500, 'ipad ' || n % 500, CASE WHEN n % 500 = 0 THEN 1 ELSE 2 END,
          n % 500 <> 0, md5(n::text) || ' tag-' || n
        FROM generate_series(1, 50000) AS n
        """)
      try connection.run(
        """
        INSERT INTO device_facets SELECT id, 'source', CASE WHEN id % 500 = 0 THEN 'ios' ELSE 'scan' END, 1, last_seen FROM devices
        """)
      try connection.run("INSERT INTO device_facets SELECT id, 'custom.tag', 'rm-' || id, 1, last_seen FROM devices")
      try connection.run(
        """
        INSERT INTO jobs (id, state, message, created_at, updated_at, ended_at, photo, photo_bytes, persist, annotate, photo_hash)
        SELECT 'job-' || n, 'completed', '', n, n, n, n || '.jpg', 1000, true, false, md5(n::text) FROM generate_series(1, 50000) AS n
        """)
      for table in ["devices", "device_facets", "jobs"] { try connection.runScript("VACUUM ANALYZE \(table)") }
      func expect(_ statement: SQLStatement, _ index: String) throws {
        let plan = try Self.plan(of: statement, in: connection)
        let scans = ["devices", "device_facets", "jobs"].filter { plan.contains("Seq Scan on \($0)") }
        #expect(plan.contains(index) && scans.isEmpty, "\(index)\n\(plan)")
      }
      let filters: [(DeviceFilter, index: String)] = [
        (DeviceFilter(), "devices_last_seen"), (DeviceFilter(status: .uncertain), "devices_status"),
        (DeviceFilter(deviceType: "iPad 7"), "devices_type_seen"), (DeviceFilter(isValid: false), "devices_invalid"),
        (DeviceFilter(source: .ios), "device_facets_seen"),
        (DeviceFilter(custom: ["tag": "RM-7"]), "device_facets_seen"),
        (DeviceFilter(search: "tag-4711"), "devices_search_text"),
      ]
      let cursor = Cursor(value: .integer(25_000), number: 7, order: "devices.last_seen").text
      for (filter, index) in filters {
        try expect(PostgresStore.deviceList(DeviceQuery(filter: filter), isFew: true), index)
        try expect(PostgresStore.deviceList(DeviceQuery(filter: filter, cursor: cursor), isFew: true), index)
      }
      for (sort, index) in [
        (DeviceQuery.Sort.firstSeen, "devices_first_seen"), (.serial, "devices_serial_key"),
        (.timesSeen, "devices_times_seen"), (.deviceType, "devices_device_type"),
      ] {
        for ascending in [true, false] {
          try expect(PostgresStore.deviceList(DeviceQuery(sort: sort, ascending: ascending), isFew: true), index)
        }
      }
      let few = DeviceQuery(filter: DeviceFilter(custom: ["tag": "RM-7"]), sort: .serial)
      try expect(PostgresStore.deviceList(few, isFew: true), "device_facets_seen")
      try expect(PostgresStore.firstReading(ofPhotoOf: "job-7"), "jobs_first_of_photo")
      try expect(PostgresStore.decidedJob(ofPhotoOf: "job-7"), "jobs_first_of_photo")
    }
  }

  /// A connection keeps plans, and one made for few devices would scan all of them for each device of a list.
  @Test func importNeverScansAllDevices() async throws {
    try await withFreshDatabase { address in
      let store = try PostgresStore(address: address, options: .init(isServer: true, connections: 1))
      func importDevices(_ numbers: Range<Int>, tag: String) async throws {
        let list = numbers.map {
          ImportedDevice(serial: "C02XL0T\(10_000 + $0)", isValid: true, custom: ["tag": "\(tag)-\($0)"])
        }
        _ = try await store.importDevices(list, dryRun: false)
      }
      try await importDevices(0..<20, tag: "first")
      let connection = try PostgresConnection(to: PostgresAddress(address))
      try connection.run("ANALYZE devices, device_values, device_facets")
      for round in 0..<10 { try await importDevices(0..<20, tag: "round \(round)") }
      try await importDevices(0..<2000, tag: "last")
      // Its connection reports its statistics when it ends.
      try await store.close()
      while try connection.run("SELECT 1 FROM pg_stat_activity WHERE datname = current_database()").count > 1 {
        try await Task.sleep(for: .milliseconds(10))
      }
      let scanned = try connection.run(
        """
        SELECT coalesce(sum(seq_tup_read), 0)::bigint AS n FROM pg_stat_user_tables
        WHERE relname IN ('devices', 'device_values', 'device_facets')
        """
      ).first?.integer("n")
      // A statement that reads many devices may scan a small table; a scan for each device reads millions of rows.
      #expect(try #require(scanned) < 400_000)
    }
  }

  /// A connection that inserts rows without triggers and foreign keys, and whose `ANALYZE` reads every row.
  ///
  /// From the default sample of 30,000 rows, the estimate for a search depends on chance: a row that matches may end up
  /// among the bounds of the histogram. Each unit of the target adds 300 rows.
  private static func connection(to address: String) throws -> PostgresConnection {
    let connection = try PostgresConnection(to: PostgresAddress(address))
    try connection.run("SET session_replication_role = replica")
    try connection.run("SET default_statistics_target = 200")
    return connection
  }

  /// The plan of a statement with its values.
  private static func plan(of statement: SQLStatement, in connection: PostgresConnection) throws -> String {
    let values = statement.values.map { value in
      switch value {
      case .integer(let number): "\(number)"
      case .real(let number): "\(number)"
      case .text(let text): "'\(text)'"
      case .flag(let flag): "\(flag)"
      case .null, .bytes: "NULL"
      }
    }
    var sql = statement.text(in: PostgresStore.dialect)
    for (number, value) in values.enumerated().reversed() { sql = sql.replacing("$\(number + 1)", with: value) }
    return try connection.run("EXPLAIN \(sql)").rows.map { try $0.text("QUERY PLAN") }.joined(separator: "\n")
  }

  private static func plan(of sql: String, _ number: Int, in connection: PostgresConnection) throws -> String {
    let parameters = sql.matches(of: #/\$(\d+)/#).compactMap { Int($0.output.1) }.max() ?? 0
    try connection.runScript("PREPARE plan_\(number) AS \(sql)")
    let values = Array(repeating: "NULL", count: parameters).joined(separator: ", ")
    let rows = try connection.run("EXPLAIN EXECUTE plan_\(number)\(parameters > 0 ? "(\(values))" : "")").rows
    return try rows.map { try $0.text("QUERY PLAN") }.joined(separator: "\n")
  }
}

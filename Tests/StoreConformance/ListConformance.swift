import Foundation
import JobStore
import ScanModel
import Testing

/// Lists of jobs and of saved serials in every order, and figures over them.
public struct ListConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: ServerStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("Jobs are listed latest first, of all states or one, each once by cursor") { try await $0.lists() },
      Check("Ended jobs are found in the order of their ends, of all keys or one, each once by its place") {
        try await $0.ends()
      },
      Check("The queue's status tells the longest wait, and the wait from measured readings") { try await $0.status() },
      Check("Verdicts are counted by the hour and the day, and stay when their jobs go") { try await $0.verdicts() },
      Check("Statistics name the most frequent device types and count the rest together") {
        try await $0.deviceTypes()
      },
      Check("Every order, up and down, gives each serial once by cursor and by number") { try await $0.paging() },
      Check("A cursor of another order, or a made-up one, is refused") { try await $0.wrongCursor() },
      Check("Serials that are saved while a list is paged double none and hide none") {
        try await $0.pagingUnderInserts()
      },
      Check("A serial was seen before at the latest earlier time, never later than itself") {
        try await $0.seenBefore()
      },
      Check("Batches give every serial once, oldest first, and stop with their task") { try await $0.batches() },
    ]
  }

  /// Jobs are listed latest first, of all states or one, each once by cursor.
  func lists() async throws {
    try await stores.withStore { store, _ in
      let jobs = (0..<25).map { _ in newJob() }
      for job in jobs { _ = try await store.enqueue(job) }
      for _ in 0..<5 {
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: false))
      }
      for (state, expected) in [(nil, jobs), (.completed, Array(jobs.prefix(5))), (.queued, Array(jobs.dropFirst(5)))]
        as [(Job.State?, [NewJob])]
      {
        var ids: [String] = []
        var cursor: String?
        repeat {
          let page = try await store.jobs(in: state, limit: 10, cursor: cursor)
          ids += page.items.map(\.id)
          cursor = page.nextCursor
        } while cursor != nil
        #expect(ids == expected.reversed().map(\.id))
      }
      await #expect(throws: InvalidCursor()) { try await store.jobs(in: nil, limit: 10, cursor: "nonsense") }
    }
  }

  /// Ended jobs are found in the order of their ends, of all keys or one, each once by its place.
  func ends() async throws {
    try await stores.withStore { store, _ in
      let start = try await store.now()
      let jobs = (0..<7).map { number in
        var job = newJob()
        job.request.origin.keyID = number % 2 == 0 ? "even" : "odd"
        return job
      }
      for job in jobs { _ = try await store.enqueue(job) }
      for _ in 0..<6 {
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: false))
      }
      for (key, expected) in [(nil, [0, 1, 2, 3, 4, 5]), ("odd", [1, 3, 5]), ("none", [])] as [(String?, [Int])] {
        var found: [String] = []
        var position = EndPosition(time: start)
        while true {
          let some = try await store.endedJobs(after: position, keyID: key, limit: 2)
          found += some.map(\.job.id)
          guard let last = some.last else { break }
          position = last.position
        }
        #expect(found == expected.map { jobs[$0].id })
      }
      #expect(try await store.endedJobs(after: EndPosition(time: store.now() + 1), keyID: nil, limit: 2).isEmpty)
    }
  }

  /// The queue's status tells the longest wait, and the wait from measured readings.
  func status() async throws {
    try await stores.withStore { store, time in
      #expect(try await store.queueStatus().estimatedWait == nil)
      let first = newJob()
      _ = try await store.enqueue(first)
      let acceptedAt = try await store.job(id: first.id)?.createdAt
      try await time.pass(30)
      _ = try await store.enqueue(newJob())
      #expect(try await store.queueStatus().oldestWaiting == acceptedAt)
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      try await time.pass(2)
      try await store.finish(claimed.claim, with: .read(reading(nil), save: true))
      let status = try await store.queueStatus()
      #expect(status.counts.filter { $0.value != 0 } == [.queued: 1, .failed: 1])
      #expect(status.throughput == Throughput(secondsPerReading: 2, workers: 1))
      #expect(status.estimatedWait == 4)
    }
  }

  /// Verdicts are counted by the hour and the day, and stay when their jobs go.
  func verdicts() async throws {
    try await stores.withStore { store, time in
      #expect(try await store.verdictStatistics(days: 366) == VerdictStatistics([], days: 1, thisHour: 0))
      var uncertain = reading("C02XL0THJHCC", confidence: 0.6)
      uncertain.verdict = .uncertain
      for outcome in [JobOutcome.read(reading("C02XL0THJHCC"), save: true), .read(uncertain, save: true)] {
        try await end(with: outcome, in: store)
      }
      // Tried again without success, then read: one end.
      _ = try await store.enqueue(newJob())
      let first = try #require(try await store.claimNext(worker: "w", lease: 10))
      try await store.giveBack(first.claim, delay: 0, countsAsAttempt: true)
      let second = try #require(try await store.claimNext(worker: "w", lease: 10))
      let ended = try await store.finish(second.claim, with: .read(reading("C02XL0THJHCC"), save: false))
      let now = try await store.verdictStatistics(days: 1)
      #expect(Array(now.byDay.values) == [VerdictCounts(accepted: 2, uncertain: 1)])
      #expect(Array(now.byHour.values) == [VerdictCounts(accepted: 2, uncertain: 1)])
      let name = ended.updatedAt.ISO8601Format()
      #expect(Array(now.byDay.keys) == [String(name.prefix(10))])
      #expect(Array(now.byHour.keys) == [name.prefix(13) + ":00:00Z"])

      try await time.pass(86_400)
      try await end(with: .read(reading(nil), save: true), in: store)
      let waiting = newJob()
      _ = try await store.enqueue(waiting)
      _ = try await store.cancel(id: waiting.id, because: JobError(code: .cancelled, detail: "No longer wanted."))
      let today = VerdictCounts(refused: 2)
      #expect(try await Array(store.verdictStatistics(days: 1).byDay.values) == [today])
      let later = try await store.verdictStatistics(days: 2)
      #expect(Array(later.byHour.values) == [today], "a day ago is too long ago")
      #expect(later.byDay.count == 2)
      #expect(later.byDay[String(name.prefix(10))] == VerdictCounts(accepted: 2, uncertain: 1))

      #expect(try await store.pruneJobs(endedBefore: ended.updatedAt + 172_800, limit: 100) == 5)
      #expect(try await store.verdictStatistics(days: 2) == later)
    }
  }

  /// Statistics name the most frequent device types and count the rest together.
  func deviceTypes() async throws {
    try await stores.withStore { store, _ in
      let most = SerialStatistics.mostDeviceTypes
      let types = ["iMac", "iMac"] + (0...most).map { "type \($0)" }
      try await withThrowingTaskGroup { group in
        for type in types {
          group.addTask {
            try await store.save(
              NewSerial(serial: "F2LXK1ABCD", confidence: 1, source: .ios, isValid: true, deviceType: type))
          }
        }
        try await group.waitForAll()
      }
      let figures = try await store.serialStatistics(days: 1)
      #expect(figures.total == types.count && figures.byDeviceType.values.reduce(0, +) == types.count)
      #expect(figures.byDeviceType.count == most + 1)
      #expect(figures.byDeviceType["iMac"] == 2 && figures.byDeviceType["other"] == 2)
    }
  }

  /// Every order, up and down, gives each serial once by cursor and by number.
  func paging() async throws {
    for sort in SerialQuery.Sort.allCases {
      try await stores.withStore { store, _ in
        try await store.fill(count: 57)
        for ascending in [true, false] {
          let whole = try await store.serials(SerialQuery(sort: sort, ascending: ascending, limit: 1000))
          #expect(whole.items.count == 57 && whole.nextCursor == nil)
          #expect(Set(whole.items.map(\.id)).count == 57)
          let keys = whole.items.map { key(of: $0, sort) }
          #expect(keys == (ascending ? keys.sorted() : keys.sorted(by: >)))

          var byCursor: [SavedSerial] = []
          var query = SerialQuery(sort: sort, ascending: ascending, limit: 10)
          repeat {
            let page = try await store.serials(query)
            byCursor += page.items
            query.cursor = page.nextCursor
          } while query.cursor != nil
          #expect(byCursor == whole.items)

          let byNumber = try await store.serials(SerialQuery(sort: sort, ascending: ascending, limit: 10, offset: 20))
          #expect(byNumber.items == Array(whole.items[20..<30]))
        }
      }
    }
  }

  /// A cursor of another order, or a made-up one, is refused.
  func wrongCursor() async throws {
    try await stores.withStore { store, _ in
      try await store.fill(count: 3)
      let cursor = try #require(try await store.serials(SerialQuery(sort: .serial, limit: 1)).nextCursor)
      #expect(try await store.serials(SerialQuery(sort: .serial, cursor: cursor)).items.count == 2)
      await #expect(throws: InvalidCursor()) {
        try await store.serials(SerialQuery(sort: .confidence, cursor: cursor))
      }
      for text in ["", "x", "%%%", "eyJhIjoxfQ", ".", cursor + "0", String(cursor.dropLast()), "é" + cursor] {
        await #expect(throws: InvalidCursor()) { try await store.serials(SerialQuery(sort: .serial, cursor: text)) }
      }
      // One character mistyped, wherever it is.
      for index in cursor.indices {
        var typed = cursor
        typed.replaceSubrange(index...index, with: cursor[index] == "A" ? "B" : "A")
        await #expect(throws: InvalidCursor(), "\(typed)") {
          try await store.serials(SerialQuery(sort: .serial, cursor: typed))
        }
      }
      // What a client could write, of each kind.
      for json in [
        #"{"value":{"text":{"_0":"a"}},"number":1,"order":"created_at"}"#,
        #"{"value":{"text":{"_0":"a\u0000"}},"number":1,"order":"serial"}"#,
        #"{"value":{"nothing":{}},"number":1,"order":"confidence"}"#,
      ] {
        let forged = Data(json.utf8).base64EncodedString().replacing("=", with: "")
        for sort in SerialQuery.Sort.allCases {
          await #expect(throws: InvalidCursor()) { try await store.serials(SerialQuery(sort: sort, cursor: forged)) }
        }
      }
    }
  }

  /// Serials that are saved while a list is paged double none and hide none.
  func pagingUnderInserts() async throws {
    for sort in SerialQuery.Sort.allCases {
      try await stores.withStore { store, _ in
        try await store.fill(count: 30)
        for text in wideTexts {
          _ = try await store.save(
            NewSerial(serial: "W", confidence: 0.5, source: .mac, isValid: true, deviceType: text))
        }
        for ascending in [true, false] {
          let before = try await store.serials(SerialQuery(sort: sort, ascending: ascending, limit: 1000)).items
          var query = SerialQuery(sort: sort, ascending: ascending, limit: 7)
          var seen: [Int64] = []
          repeat {
            let page = try await store.serials(query)
            seen += page.items.map(\.id)
            query.cursor = page.nextCursor
            try await store.fill(count: 4)
          } while query.cursor != nil && seen.count < 500
          #expect(Set(seen).count == seen.count, "\(sort) \(ascending)")
          let known = Set(before.map(\.id))
          #expect(seen.filter(known.contains) == before.map(\.id), "\(sort) \(ascending)")
        }
      }
    }
  }

  /// A serial was seen before at the latest earlier time, never later than itself, whichever was saved first.
  func seenBefore() async throws {
    try await stores.withStore { store, _ in
      let start = Date(timeIntervalSince1970: 1_700_000_000)
      // Devices send what they read while they were offline.
      for hours in [5, 1, 3, 3] {
        _ = try await store.save(
          NewSerial(
            serial: "F2LXK1ABCD", confidence: 1, source: .ios, isValid: true,
            readAt: start + TimeInterval(hours) * 3600))
      }
      let serials = try await store.serials(SerialQuery(ascending: true)).items
      #expect(serials.map(\.seenBefore) == [nil, start + 3600, start + 3 * 3600, start + 3 * 3600])
      let asked = [4, 3, 1].map {
        ReadInQuestion(serial: "F2LXK1ABCD", jobID: "j", readAt: start + TimeInterval($0) * 3600)
      }
      #expect(try await store.earlierReads(asked) == [start + 3 * 3600, start + 3600, nil])
      let first = try #require(serials.first)
      try await store.deleteSerial(id: first.id)
      #expect(try await store.serials(SerialQuery(ascending: true)).items.first?.seenBefore == nil)
      #expect(try await store.earlierReads(asked) == [start + 3 * 3600, nil, nil])
    }
  }

  /// Batches give every serial once, oldest first, and stop with their task.
  func batches() async throws {
    try await stores.withStore { store, _ in
      try await store.fill(count: 55)
      var sizes: [Int] = []
      var seen: [SavedSerial] = []
      try await store.forEachBatch(of: SerialFilter(), batchSize: 20) { batch in
        sizes.append(batch.count)
        seen += batch
      }
      #expect(sizes == [20, 20, 15])
      #expect(seen == (try await store.serials(SerialQuery(ascending: true, limit: 1000)).items))
    }
  }

  private func end(with outcome: JobOutcome, in store: Stores.Store) async throws {
    _ = try await store.enqueue(newJob())
    let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
    try await store.finish(claimed.claim, with: outcome)
  }

  private func key(of serial: SavedSerial, _ sort: SerialQuery.Sort) -> String {
    switch sort {
    case .createdAt: serial.createdAt.ISO8601Format()
    case .serial: serial.serial
    case .confidence: String(format: "%.6f", serial.confidence)
    case .deviceType: (serial.deviceType ?? "").lowercased()
    }
  }
}

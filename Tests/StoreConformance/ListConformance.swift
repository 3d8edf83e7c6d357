import Foundation
import JobStore
import ScanModel
import Testing

/// Lists of jobs and saved serials in every order, and statistics.
public struct ListConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: ServerStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("Jobs are listed newest first, by state, each once across pages") { try await $0.listsJobsNewestFirst() },
      Check("Ended jobs are listed in the order of their ends, by key, each once") {
        try await $0.listsEndedJobsInOrder()
      },
      Check("The status of the queue has its longest wait, and an estimate from measured readings") {
        try await $0.queueStatusReportsWaits()
      },
      Check("Verdicts are counted by hour and day, and kept when their jobs are deleted") {
        try await $0.verdictCountsSurviveRetention()
      },
      Check("Statistics list the most frequent device types and combine the rest") {
        try await $0.statisticsCombineRareDeviceTypes()
      },
      Check("Every order lists each serial once, by cursor and by offset") { try await $0.pagesListEachSerialOnce() },
      Check("A cursor of another order, or a forged one, is rejected") {
        try await $0.rejectsForeignAndForgedCursors()
      },
      Check("Serials saved while a list is paged cause no repeats and no gaps") {
        try await $0.insertsNeitherRepeatNorHideSerials()
      },
      Check("A serial was seen before at the time of its latest earlier read") {
        try await $0.seenBeforeIsLatestEarlierRead()
      },
      Check("Batches for export have each serial once, oldest first") {
        try await $0.exportsEachSerialOnceOldestFirst()
      },
    ]
  }

  func listsJobsNewestFirst() async throws {
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

  func listsEndedJobsInOrder() async throws {
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

  func queueStatusReportsWaits() async throws {
    try await stores.withStore { store, time in
      #expect(try await store.queueStatus().estimatedWait == nil)
      _ = try await store.enqueue(newJob())
      try await time.pass(30)
      _ = try await store.enqueue(newJob())
      #expect(try await store.queueStatus().longestWait == 30)
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      try await time.pass(2)
      try await store.finish(claimed.claim, with: .read(reading(nil), save: true))
      let status = try await store.queueStatus()
      #expect(status.counts.filter { $0.value != 0 } == [.queued: 1, .failed: 1])
      #expect(status.throughput == Throughput(secondsPerReading: 2, workers: 1))
      #expect(status.estimatedWait == 4)
    }
  }

  func verdictCountsSurviveRetention() async throws {
    try await stores.withStore { store, time in
      #expect(try await store.verdictStatistics(days: 366) == VerdictStatistics([], days: 1, thisHour: 0))
      var uncertain = reading("C02XL0THJHCC", confidence: 0.6)
      uncertain.verdict = .uncertain
      for outcome in [JobOutcome.read(reading("C02XL0THJHCC"), save: true), .read(uncertain, save: true)] {
        try await end(with: outcome, in: store)
      }
      // A job that is read on its second attempt ends once.
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
      #expect(Array(later.byHour.values) == [today], "a day ago is beyond the hours listed")
      #expect(later.byDay.count == 2)
      #expect(later.byDay[String(name.prefix(10))] == VerdictCounts(accepted: 2, uncertain: 1))

      #expect(try await store.pruneJobs(endedBefore: ended.updatedAt + 172_800, limit: 100) == 5)
      #expect(try await store.verdictStatistics(days: 2) == later)
    }
  }

  func statisticsCombineRareDeviceTypes() async throws {
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

  func pagesListEachSerialOnce() async throws {
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

  func rejectsForeignAndForgedCursors() async throws {
    try await stores.withStore { store, _ in
      try await store.fill(count: 3)
      let cursor = try #require(try await store.serials(SerialQuery(sort: .serial, limit: 1)).nextCursor)
      #expect(try await store.serials(SerialQuery(sort: .serial, cursor: cursor)).items.count == 2)
      await #expect(throws: InvalidCursor()) {
        try await store.serials(SerialQuery(sort: .confidence, cursor: cursor))
      }
      await #expect(throws: InvalidCursor()) {
        try await store.serials(SerialQuery(sort: .serial, ascending: true, cursor: cursor))
      }
      for text in ["", "x", "%%%", "eyJhIjoxfQ", ".", cursor + "0", String(cursor.dropLast()), "é" + cursor] {
        await #expect(throws: InvalidCursor()) { try await store.serials(SerialQuery(sort: .serial, cursor: text)) }
      }
      // A wrong character at any place.
      for index in cursor.indices {
        var typed = cursor
        typed.replaceSubrange(index...index, with: cursor[index] == "A" ? "B" : "A")
        await #expect(throws: InvalidCursor(), "\(typed)") {
          try await store.serials(SerialQuery(sort: .serial, cursor: typed))
        }
      }
      // Cursors a client could forge, one of each kind.
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

  func insertsNeitherRepeatNorHideSerials() async throws {
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

  func seenBeforeIsLatestEarlierRead() async throws {
    try await stores.withStore { store, _ in
      let start = Date(timeIntervalSince1970: 1_700_000_000)
      // Devices send serials late that they read while offline.
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

  func exportsEachSerialOnceOldestFirst() async throws {
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

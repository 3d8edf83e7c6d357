import Foundation
import JobStore
import ScanModel
import Testing

/// The table of saved serials: what goes in, the lists in every order by cursor and by number, filters.
public struct SerialConformance<Stores: TestedStores>: ConformanceGroup
where Stores.Store: SerialStore & SerialCorrecting & JobListing {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("A finished job saves its top serial once, with what is known of it; without leave it saves none") {
        try await $0.fromJobs()
      },
      Check("A job of every serial saves each accepted one once, and each is confirmed by itself") {
        try await $0.everySerial()
      },
      Check("Serials read on devices are saved as they were sent, their confidence held to 0...1") {
        try await $0.fromDevices()
      },
      Check("A serial is saved once under a key, and another request under it is refused") { try await $0.savedOnce() },
      Check("Every order, up and down, gives each serial once by cursor and by number") { try await $0.paging() },
      Check("A cursor of another order, or a made-up one, is refused") { try await $0.wrongCursor() },
      Check("Filters let through what they say, and counting agrees with listing") { try await $0.filters() },
      Check("Statistics name the most frequent device types and count the rest together") {
        try await $0.deviceTypes()
      },
      Check("Texts beyond ASCII are listed in order, paged both ways and found whatever their case") {
        try await $0.textsBeyondASCII()
      },
      Check("Serials that are saved while a list is paged double none and hide none") {
        try await $0.pagingUnderInserts()
      },
      Check("A serial was seen before at the latest earlier time, never later than itself") {
        try await $0.seenBefore()
      },
      Check("Another serial by a person's change has the person's proof, and the reader's where it was read so") {
        try await $0.proofOfChanges()
      },
      Check("What stood in a serial goes with it, however it is deleted") { try await $0.changesGoWithTheirSerial() },
      Check("Batches give every serial once, oldest first, and stop with their task") { try await $0.batches() },
    ]
  }

  /// A finished job saves its top serial once, with what is known of it; without leave it saves none.
  func fromJobs() async throws {
    var read = reading("C02XL0THJHCC")
    let fields = [
      FieldRead(kind: .modelNumber, text: "A2141", confidence: 0.95),
      FieldRead(kind: .imei, text: "356938035643809", confidence: 0.9, check: true),
    ]
    read.serials[0].fields = fields
    try await stores.withStore { [read] store, _ in
      for save in [true, false] {
        _ = try await store.enqueue(newJob())
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.finish(claimed.claim, with: .read(read, save: save))
      }
      let serials = try await store.serials(SerialQuery()).items
      #expect(serials.count == 1)
      #expect(serials.first?.fields == fields)
      let serial = try #require(serials.first)
      #expect(serial.serial == "C02XL0THJHCC" && serial.confidence == 0.98 && serial.method == "tesseract")
      #expect(serial.source == .scan && serial.preset == .etched && serial.deviceType == "MacBook Pro")
      #expect(serial.isValid && serial.notes == nil && serial.jobID != nil)
      #expect(try await store.serial(id: serial.id) == serial)
    }
  }

  /// A job of every serial saves each accepted one once, and each is confirmed by itself.
  func everySerial() async throws {
    try await stores.withStore { store, _ in
      let serials = ["C02XL0THJHCC", "C07WK3B4PLJ9", "C07WK3K7PLJ9"]
      var whole = reading(serials[0])
      whole.isOfEverySerial = true
      whole.serials = serials.enumerated().map { index, serial in
        SerialRead(
          serial: serial, confidence: index == 2 ? 0.9 : 0.99, method: "tesseract", strategy: "text", isValid: true,
          verdict: index == 2 ? .uncertain : .accepted)
      }
      let job = newJob()
      _ = try await store.enqueue(job)
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      try await store.finish(claimed.claim, with: .read(whole, save: true))
      func saved() async throws -> [String: SavedSerial] {
        let items = try await store.serials(SerialQuery()).items
        return Dictionary(items.map { ($0.serial, $0) }, uniquingKeysWith: { first, _ in first })
      }
      #expect(try await Set(saved().keys) == Set(serials.prefix(2)))
      func confirm(
        _ serial: String, replacing replaced: String?
      ) async throws -> (saved: SavedSerial, isCorrected: Bool) {
        let confirmed = try await store.confirm(job: job.id, serial: serial, replacing: replaced, isValid: true)
        guard case .saved(let saved, let isCorrected) = confirmed else { throw StoreError.unavailable("not saved") }
        return (saved, isCorrected)
      }
      // The uncertain one, as it was read.
      let third = try await confirm(serials[2], replacing: serials[2])
      #expect(!third.isCorrected && third.saved.confidence == 0.9 && third.saved.verdict == .uncertain)
      // The second, corrected.
      let second = try await confirm("C07WK3B5PLJ9", replacing: serials[1])
      #expect(second.isCorrected)
      #expect(try await Set(saved().keys) == [serials[0], "C07WK3B5PLJ9", serials[2]])
      // Without the one that it replaces, the top one is meant, or the one that says so already.
      let top = try await confirm("C02XL0THJHCD", replacing: nil)
      #expect(top.isCorrected)
      #expect(try await Set(saved().keys) == ["C02XL0THJHCD", "C07WK3B5PLJ9", serials[2]])
      // What another row of the job says already leaves one of them.
      _ = try await confirm(serials[2], replacing: "C07WK3B5PLJ9")
      #expect(try await Set(saved().keys) == ["C02XL0THJHCD", serials[2]])
      #expect(try await store.earlierStates(ofSerial: second.saved.id).contains { $0.serial == "C07WK3B5PLJ9" })
      let unknown = try await store.confirm(
        job: job.id, serial: "C02G414GMD6N", replacing: "C02G414GMD6P", isValid: true)
      #expect(unknown == .unknownSerial)
      await #expect(throws: StoreError.serialTaken) {
        try await store.changeSerial(id: top.saved.id, SerialChange(serial: (serials[2], true)))
      }
      // The job is saved as long as one of its serials is.
      try await store.deleteSerial(id: top.saved.id)
      #expect(try await store.job(id: job.id)?.savedToDatabase == true)
      for row in try await saved().values { try await store.deleteSerial(id: row.id) }
      #expect(try await store.job(id: job.id)?.savedToDatabase == false)
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

  /// Serials read on devices are saved as they were sent, their confidence held to 0...1.
  func fromDevices() async throws {
    try await stores.withStore { store, _ in
      let readAt = Date(timeIntervalSince1970: 1_700_000_000.25)
      let saved = try await store.save(
        NewSerial(
          serial: "F2LXK1ABCD", confidence: 7, source: .ios, isValid: true, deviceType: "iPhone 15",
          notes: "=1+1", readAt: readAt))
      #expect(saved.confidence == 1 && saved.createdAt == readAt && saved.jobID == nil && saved.notes == "=1+1")
      #expect(try await store.serial(id: saved.id) == saved)
      let odd = try await store.save(NewSerial(serial: "X", confidence: .nan, source: .mac, isValid: false))
      #expect(odd.confidence == 0 && odd.deviceType == nil)
    }
  }

  /// A serial is saved once under a key, and another request under it is refused.
  func savedOnce() async throws {
    try await stores.withStore { store, _ in
      func save(_ serial: String, _ key: SaveKey?) async throws -> SavedSerial {
        try await store.save(NewSerial(serial: serial, confidence: 0.9, source: .ios, isValid: true, key: key))
      }
      let key = SaveKey(name: "one", request: "a")
      let ids = try await withThrowingTaskGroup(of: Int64.self) { group in
        for _ in 0..<10 { group.addTask { try await save("C02G414GMD6N", key).id } }
        return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
      }
      let id = try #require(ids.first)
      #expect(ids.count == 1)
      await #expect(throws: StoreError.saveConflict(serialID: id)) {
        try await save("C02G414GMD6N", SaveKey(name: "one", request: "b"))
      }
      #expect(try await save("C02G414GMD6N", SaveKey(name: "two", request: "a")).id != id)
      // Without a key each call is a serial.
      for _ in 0..<2 { _ = try await save("C02G414GMD6N", nil) }
      #expect(try await store.serials(SerialQuery()).items.count == 4)
      // What a person has changed since is told as it is; what was deleted is saved anew.
      _ = try await store.changeSerial(id: id, SerialChange(serial: ("C02G414GMD6M", true)))
      #expect(try await save("C02G414GMD6N", key).serial == "C02G414GMD6M")
      _ = try await store.deleteSerial(id: id)
      #expect(try await save("C02G414GMD6N", key).id != id)
    }
  }

  /// Every order, up and down, gives each serial once by cursor and by number.
  func paging() async throws {
    for sort in SerialQuery.Sort.allCases {
      try await stores.withStore { store, _ in
        try await fill(store, count: 57)
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

  private func key(of serial: SavedSerial, _ sort: SerialQuery.Sort) -> String {
    switch sort {
    case .createdAt: serial.createdAt.ISO8601Format()
    case .serial: serial.serial
    case .confidence: String(format: "%.6f", serial.confidence)
    case .deviceType: (serial.deviceType ?? "").lowercased()
    }
  }

  /// A cursor of another order, or a made-up one, is refused.
  func wrongCursor() async throws {
    try await stores.withStore { store, _ in
      try await fill(store, count: 3)
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
      // What a client could write by itself, of each kind.
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

  /// Device types and file names with letters beyond ASCII, most of them with a capital form of their own.
  private static var wideTexts: [String] {
    [
      "École", "école", "ÉCOLE 2", "Straße", "STRASSE", "İstanbul", "istanbul", "МОСКВА", "Москва", "москва 5",
      "📱 Pro", "📱 pro", "Ωmega", "Zulu", "alpha", "Alpha",
    ]
  }

  /// Texts beyond ASCII are listed in order, paged both ways, and found whatever their case.
  func textsBeyondASCII() async throws {
    try await stores.withStore { store, _ in
      for (number, text) in Self.wideTexts.enumerated() {
        _ = try await store.save(
          NewSerial(
            serial: "SER\(number)", confidence: 1, source: .ios, isValid: true, deviceType: text,
            filename: "foto \(text).jpg"))
      }
      let all = try await store.serials(SerialQuery(limit: 100)).items
      for ascending in [true, false] {
        var query = SerialQuery(sort: .deviceType, ascending: ascending, limit: 3)
        var paged: [SavedSerial] = []
        for _ in 0..<20 {
          let page = try await store.serials(query)
          paged += page.items
          query.cursor = page.nextCursor
          if page.nextCursor == nil { break }
        }
        let sorted = all.sorted { (Self.place($0), $0.id) < (Self.place($1), $1.id) }
        #expect(paged.map(\.id) == (ascending ? sorted : sorted.reversed()).map(\.id), "ascending: \(ascending)")
      }
      for (search, found) in [
        ("école", ["École", "école", "ÉCOLE 2"]), ("ÉCO", ["École", "école", "ÉCOLE 2"]), ("straße", ["Straße"]),
        ("STRAẞE", ["Straße"]), ("strasse", ["STRASSE"]), ("istanbul", ["istanbul"]), ("İst", ["İstanbul"]),
        ("МОСКВА", ["МОСКВА", "Москва", "москва 5"]), ("осКВ", ["МОСКВА", "Москва", "москва 5"]),
        ("📱 PRO", ["📱 Pro", "📱 pro"]), ("ωMEG", ["Ωmega"]), ("📱", []), ("ß", []),
        ("FOTO É", ["École", "école", "ÉCOLE 2"]),
        ("a[lL]pha", []), ("\\w+", []), (".*.*", []),
      ] {
        let filter = SerialFilter(search: search)
        let hits = try await store.serials(SerialQuery(filter: filter, ascending: true, limit: 100)).items
        #expect(Set(hits.compactMap(\.deviceType)) == Set(found), "\(search)")
        #expect(try await store.serialCount(filter) == found.count, "\(search)")
      }
      for (deviceType, count) in [("ALPHA", 2), ("ÉCOLE", 1), ("📱 PRO", 2), ("москва", 0), ("İSTANBUL", 1)] {
        let filter = SerialFilter(deviceType: deviceType)
        #expect(try await store.serials(SerialQuery(filter: filter)).items.count == count, "\(deviceType)")
        #expect(try await store.serialCount(filter) == count, "\(deviceType)")
      }
    }
  }

  /// A device type's place in a list: its bytes, with ASCII letters in one case.
  private static func place(_ serial: SavedSerial) -> String {
    // As hexadecimal digits: Swift's own order of texts is not that of their bytes.
    (serial.deviceType ?? "").utf8.map { byte in
      String(format: "%02x", (0x41...0x5A).contains(byte) ? byte + 0x20 : byte)
    }.joined()
  }

  /// Serials that are saved while a list is paged double none and hide none.
  func pagingUnderInserts() async throws {
    for sort in SerialQuery.Sort.allCases {
      try await stores.withStore { store, _ in
        try await fill(store, count: 30)
        for text in Self.wideTexts {
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
            try await fill(store, count: 4)
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

  /// Another serial by a person's change has the person's proof, and the reader's where the photo was read so.
  func proofOfChanges() async throws {
    try await stores.withStore { store, _ in
      _ = try await store.enqueue(newJob())
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
      let id = try #require(try await store.serials(SerialQuery()).items.first).id
      func change(_ serial: String?, notes: String? = nil) async throws -> SavedSerial {
        try #require(
          try await store.changeSerial(id: id, SerialChange(serial: serial.map { ($0, true) }, notes: notes)))
      }
      for same in [try await change(nil, notes: "desk"), try await change("C02XL0THJHCC")] {
        #expect(same.method == "tesseract" && same.confidence == 0.98)
      }
      for _ in 0..<2 {
        let corrected = try await change("C02XL0THJHCD")
        #expect(corrected.method == "person" && corrected.confidence == 1)
      }
      let back = try await change("C02XL0THJHCC")
      #expect(back.method == "tesseract" && back.confidence == 0.98)

      let typed = try await store.save(
        NewSerial(serial: "F2LXK1ABCD", confidence: 0.5, source: .ios, isValid: true, method: "device"))
      let changed = try await store.changeSerial(id: typed.id, SerialChange(serial: ("F2LXK1ABCE", true)))
      #expect(changed?.method == "person" && changed?.confidence == 1)
      let mean = try #require(try await store.serialStatistics(days: 30_000).meanConfidence)
      #expect(abs(mean - 0.99) < 1e-9)
    }
  }

  /// What stood in a serial goes with it, however it is deleted.
  func changesGoWithTheirSerial() async throws {
    try await stores.withStore { store, _ in
      for isDeletedWithItsJob in [true, false] {
        let job = newJob()
        _ = try await store.enqueue(job)
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
        let id = try #require(try await store.serials(SerialQuery()).items.first).id
        _ = try await store.changeSerial(id: id, SerialChange(serial: ("C02XL0THJHCD", true)))
        #expect(try await store.earlierStates(ofSerial: id).map(\.serial) == ["C02XL0THJHCC"])
        if isDeletedWithItsJob {
          try await store.deleteJob(id: job.id, alsoSerial: true)
        } else {
          try await store.deleteSerial(id: id)
        }
        #expect(try await store.earlierStates(ofSerial: id).isEmpty)
      }
    }
  }

  /// Filters let through what they say, and counting agrees with listing.
  func filters() async throws {
    try await stores.withStore { store, _ in
      try await fill(store, count: 60)
      let all = try await store.serials(SerialQuery(limit: 1000)).items
      let day = Date(timeIntervalSince1970: 1_700_006_400)  // A midnight in UTC.
      let cases: [(SerialFilter, (SavedSerial) -> Bool)] = [
        (SerialFilter(), { _ in true }),
        (SerialFilter(deviceType: "macbook PRO"), { $0.deviceType == "MacBook Pro" }),
        (SerialFilter(source: .ios), { $0.source == .ios }),
        (SerialFilter(isValid: false), { !$0.isValid }),
        (SerialFilter(from: day), { $0.createdAt >= day }),
        (
          SerialFilter(source: .mac, from: day, until: day + 86_400),
          {
            $0.source == .mac && $0.createdAt >= day && $0.createdAt < day + 86_400
          }
        ),
        (SerialFilter(from: day + 5000), { $0.createdAt >= day + 5000 }),
        (SerialFilter(search: "xl0"), { $0.serial.contains("XL0") }),
        (SerialFilter(search: "phone", source: .ios), { $0.deviceType == "iPhone 15" && $0.source == .ios }),
        (SerialFilter(search: "c0"), { $0.serial.hasPrefix("C0") }),
        (SerialFilter(search: "\"'%_*"), { _ in false }),
        (SerialFilter(search: "   "), { _ in true }),
      ]
      for (filter, lets) in cases {
        let expected = all.filter(lets).map(\.id)
        #expect(try await store.serials(SerialQuery(filter: filter, limit: 1000)).items.map(\.id) == expected)
        #expect(try await store.serialCount(filter) == expected.count, "\(filter)")
      }
      // The cases above do tell serials apart.
      #expect(
        all.contains { !$0.isValid } && all.contains { $0.createdAt < day } && all.contains { $0.createdAt > day })
    }
  }

  /// Batches give every serial once, oldest first, and stop with their task.
  func batches() async throws {
    try await stores.withStore { store, _ in
      try await fill(store, count: 55)
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

  /// Serials of two days, several sources, kinds and confidences.
  private func fill(_ store: Stores.Store, count: Int) async throws {
    let deviceTypes = ["MacBook Pro", "iPhone 15", nil]
    let serials = ["C02XL0THJHCC", "F17ABC123", "c02lower", "DMPXL0"]
    for number in 0..<count {
      let serial = NewSerial(
        serial: serials[number % serials.count], confidence: Double(number % 10) / 10,
        source: SerialSource.allCases[number % 3], isValid: number % 5 != 0,
        deviceType: deviceTypes[number / 3 % deviceTypes.count],
        readAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(number / 2) * 1000))
      _ = try await store.save(serial)
    }
  }
}

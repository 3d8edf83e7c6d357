import Foundation
import JobStore
import ReaderProtocol
import Testing

/// The table of saved serials: what goes in, the lists in every order by cursor and by number, filters.
public struct SerialConformance<Stores: TestedStores>: ConformanceGroup
where Stores.Store: SerialStore & SerialCorrecting {
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
      Check("Serials read on devices are saved as they were sent, their confidence held to 0...1") {
        try await $0.fromDevices()
      },
      Check("Every order, up and down, gives each serial once by cursor and by number") { try await $0.paging() },
      Check("A cursor of another order, or a made-up one, is refused") { try await $0.wrongCursor() },
      Check("Filters let through what they say, and counting agrees with listing") { try await $0.filters() },
      Check("Statistics name the most frequent device types and count the rest together") {
        try await $0.deviceTypes()
      },
      Check("Batches give every serial once, oldest first, and stop with their task") { try await $0.batches() },
    ]
  }

  /// A finished job saves its top serial once, with what is known of it; without leave it saves none.
  func fromJobs() async throws {
    try await stores.withStore { store, _ in
      for save in [true, false] {
        _ = try await store.enqueue(newJob())
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: save))
      }
      let serials = try await store.serials(SerialQuery()).items
      #expect(serials.count == 1)
      let serial = try #require(serials.first)
      #expect(serial.serial == "C02XL0THJHCC" && serial.confidence == 0.98 && serial.method == "tesseract")
      #expect(serial.source == .scan && serial.preset == .etched && serial.deviceType == "MacBook Pro")
      #expect(serial.isValid && serial.notes == nil && serial.jobID != nil)
      #expect(try await store.serial(id: serial.id) == serial)
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
    for text in ["", "x", "%%%", "eyJhIjoxfQ"] {
      try await stores.withStore { store, _ in
        try await fill(store, count: 3)
        await #expect(throws: InvalidCursor()) { try await store.serials(SerialQuery(cursor: text)) }
        let cursor = try await store.serials(SerialQuery(sort: .serial, limit: 1)).nextCursor
        await #expect(throws: InvalidCursor()) {
          try await store.serials(SerialQuery(sort: .confidence, cursor: cursor))
        }
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

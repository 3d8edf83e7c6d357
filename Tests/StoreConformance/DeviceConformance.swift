import Foundation
import JobStore
import ScanModel
import Testing

/// Devices: how reads, corrections, codes and imports form and change them.
public struct DeviceConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: ServerStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("Reads of a serial form one device with times, count, type and best read") {
        try await $0.readsOfSerialFormOneDevice()
      },
      Check("Lists of devices match their counts for every filter and order, in both directions") {
        try await $0.listsMatchCountsForEveryFilterAndOrder()
      },
      Check("A search finds devices by serial, type, file name and custom value") {
        try await $0.searchesSerialTypeFilenameAndValues()
      },
      Check("A limited key sees only the devices of its reads, with the best of them") {
        try await $0.limitedKeySeesOnlyItsDevices()
      },
      Check("A correction moves values of people and codes, and leaves imported ones") {
        try await $0.correctionMovesValuesExceptImported()
      },
      Check("A device has the surest field of each kind in all its reads that may be seen") {
        try await $0.deviceMergesFieldsOfItsReads()
      },
      Check("Deleting the last read deletes a device without values; deleting a device leaves nothing") {
        try await $0.deletingLastReadDeletesDeviceWithoutValues()
      },
      Check("An import creates and changes devices, and a dry run changes nothing") {
        try await $0.importCreatesAndChangesDevices()
      },
      Check("An import takes a list of any length") { try await $0.importTakesLongLists() },
      Check("An import of a long list takes short transactions") {
        try await $0.importOfLongListTakesShortTransactions()
      },
      Check("A code in the photo sets a value, but replaces none that a person or an import set") {
        try await $0.photoCodeNeverReplacesSetValue()
      },
    ]
  }

  func readsOfSerialFormOneDevice() async throws {
    try await stores.withStore { store, _ in
      let start = Date(timeIntervalSince1970: 1_700_000_000)
      func save(_ confidence: Double, _ seconds: Double, type: String? = nil) async throws -> SavedSerial {
        try await store.save(
          NewSerial(
            serial: "C02XL0THJHCC", confidence: confidence, source: .ios, isValid: true, deviceType: type,
            readAt: start + seconds, verdict: confidence > 0.9 ? .accepted : .uncertain))
      }
      _ = try await save(0.5, 100, type: "MacBook")
      #expect(try await store.device(serial: "C02XL0THJHCC", keyID: nil)?.status == .uncertain)
      let best = try await save(0.95, 0)
      _ = try await save(0.92, 50, type: "Laptop")
      var device = try #require(try await store.device(serial: "C02XL0THJHCC", keyID: nil))
      #expect(device.status == .accepted && device.timesSeen == 3 && device.isValid && device.custom.isEmpty)
      #expect(device.firstSeen == start && device.lastSeen == start + 100 && device.deviceType == "MacBook")
      #expect(device.best?.id == best.id && device.best?.hasPhoto == false)
      let reads = try await store.reads(ofDevice: "C02XL0THJHCC", keyID: nil, limit: 2)
      #expect(reads.map(\.createdAt) == [start + 100, start + 50])
      _ = try await store.deleteSerial(id: best.id)
      device = try #require(try await store.device(serial: "C02XL0THJHCC", keyID: nil))
      #expect(device.firstSeen == start + 50 && device.best?.confidence == 0.92 && device.timesSeen == 2)
      // A type set by a person overrides later reads until it is removed.
      _ = try await store.changeDevice(serial: "C02XL0THJHCC", DeviceChange(deviceType: "Mac Pro"), keyID: nil)
      _ = try await save(0.99, 200, type: "iPad")
      #expect(try await store.device(serial: "C02XL0THJHCC", keyID: nil)?.deviceType == "Mac Pro")
      let changed = try await store.changeDevice(serial: "C02XL0THJHCC", DeviceChange(deviceType: ""), keyID: nil)
      #expect(changed?.deviceType == "iPad")
      #expect(try await store.device(serial: "NOSUCH12", keyID: nil) == nil)
      #expect(try await store.changeDevice(serial: "NOSUCH12", DeviceChange(custom: ["a": "b"]), keyID: nil) == nil)
    }
  }

  func deviceMergesFieldsOfItsReads() async throws {
    try await stores.withStore { store, _ in
      let place = Quadrilateral(
        PixelPoint(x: 0, y: 0), PixelPoint(x: 9, y: 0), PixelPoint(x: 9, y: 4), PixelPoint(x: 0, y: 4))
      func save(_ seconds: Double, _ fields: [FieldRead]?, confidence: Double = 0.9, key: String = "one") async throws {
        _ = try await store.save(
          NewSerial(
            serial: "C02XL0THJHCC", confidence: confidence, source: .scan, isValid: true,
            readAt: Date(timeIntervalSince1970: 1_700_000_000 + seconds), verdict: .accepted, keyID: key, fields: fields
          ))
      }
      func fields(_ key: String? = nil) async throws -> [FieldRead]? {
        try await store.device(serial: "C02XL0THJHCC", keyID: key)?.fields
      }
      try await save(0, nil)
      #expect(try await fields() == nil)
      try await save(
        1,
        [
          FieldRead(kind: .imei, text: "353456789012348", confidence: 0.8, region: place, check: true),
          FieldRead(kind: .capacity, text: "256 GB", confidence: 0.7, region: place),
        ])
      try await save(2, nil, confidence: 0.99)
      #expect(try await fields()?.map(\.text) == ["353456789012348", "256 GB"], "the best read has none")
      #expect(try await fields()?.allSatisfy { $0.region == nil } == true)
      try await save(
        3,
        [
          FieldRead(kind: .imei, text: "353456789012340", confidence: 0.99, check: false),
          FieldRead(kind: .capacity, text: "512 GB", confidence: 0.9, region: place),
          FieldRead(kind: .modelNumber, text: "A2338", confidence: 0.6),
        ], confidence: 0.995, key: "two")
      let merged = try await fields()
      #expect(merged?.map(\.text) == ["A2338", "353456789012348", "512 GB"])
      #expect(merged?.last?.region == place, "of the best read")
      #expect(try await store.devices(DeviceQuery()).items.map(\.fields) == [merged])
      #expect(try await fields("one")?.map(\.text) == ["353456789012348", "256 GB"])
      try await save(4, [FieldRead(kind: .capacity, text: "1 TB", confidence: 0.9)])
      #expect(try await fields()?.last?.text == "1 TB", "the latest of the same confidence")
      for number in 0..<Device.mostReadsWithFields {
        try await save(Double(10 + number), [FieldRead(kind: .capacity, text: "128 GB", confidence: 0.5)])
      }
      #expect(try await fields()?.map(\.text) == ["128 GB"], "older reads no longer count")
    }
  }

  func listsMatchCountsForEveryFilterAndOrder() async throws {
    try await stores.withStore { store, _ in
      let start = Date(timeIntervalSince1970: 1_700_000_000)
      for number in 0..<30 {
        let serial = "C02XL0TH\(String(format: "%02d", number / 2))CC"
        _ = try await store.save(
          NewSerial(
            serial: serial, confidence: number % 3 == 0 ? 0.99 : 0.6, source: number % 4 == 0 ? .ios : .mac,
            isValid: number % 10 != 4 && number % 10 != 5, deviceType: ["MacBook Pro", "iPad", nil][number % 3],
            readAt: start + Double(number * 100), verdict: number % 3 == 0 ? .accepted : .uncertain))
      }
      for number in 0..<15 {
        let serial = "C02XL0TH\(String(format: "%02d", number))CC"
        let custom: [String: String?] = ["grade": number % 5 == 0 ? "A" : "b", "tag": "RM-\(number)"]
        _ = try await store.changeDevice(serial: serial, DeviceChange(custom: custom), keyID: nil)
      }
      _ = try await store.importDevices(
        [ImportedDevice(serial: "F2LXK1ABCD", isValid: true, custom: [:])], dryRun: false)
      let all = try await store.devices(DeviceQuery(limit: 100)).items
      #expect(all.count == 16 && all.map(\.lastSeen) == all.map(\.lastSeen).sorted(by: >))
      let sources = Dictionary(grouping: try await store.serials(SerialQuery(limit: 100)).items, by: \.serial)
      func has(_ device: Device, _ source: SerialSource) -> Bool {
        sources[device.serial]?.contains { $0.source == source } == true
      }
      let cases: [(DeviceFilter, (Device) -> Bool)] = [
        (DeviceFilter(), { _ in true }),
        (DeviceFilter(deviceType: "macbook PRO"), { $0.deviceType == "MacBook Pro" }),
        (DeviceFilter(source: .ios), { has($0, .ios) }), (DeviceFilter(isValid: false), { !$0.isValid }),
        (DeviceFilter(isValid: true), { $0.isValid }),
        (DeviceFilter(from: start + 1500), { $0.lastSeen >= start + 1500 }),
        (DeviceFilter(until: start + 1500), { $0.lastSeen < start + 1500 }),
        (DeviceFilter(status: .accepted), { $0.status == .accepted }),
        (DeviceFilter(status: .imported), { $0.timesSeen == 0 }),
        (DeviceFilter(custom: ["grade": "a"]), { $0.custom["grade"] == "A" }),
        (DeviceFilter(custom: ["grade": "B", "tag": "rm-7"]), { $0.custom["tag"] == "RM-7" }),
        (DeviceFilter(source: .ios, custom: ["grade": "B"]), { has($0, .ios) && $0.custom["grade"] == "b" }),
        (
          DeviceFilter(source: .mac, from: start + 700, custom: ["grade": "A"]),
          { has($0, .mac) && $0.custom["grade"] == "A" && $0.lastSeen >= start + 700 }
        ),
        (DeviceFilter(search: "xl0th0", status: .accepted), { $0.serial.contains("TH0") && $0.status == .accepted }),
        (DeviceFilter(search: "xl0", custom: ["grade": "A"]), { $0.custom["grade"] == "A" }),
        (DeviceFilter(custom: ["grade": "C"]), { _ in false }), (DeviceFilter(custom: ["none": "A"]), { _ in false }),
      ]
      for (filter, lets) in cases {
        let expected = all.filter(lets).map(\.serial)
        #expect(try await store.devices(DeviceQuery(filter: filter)).items.map(\.serial) == expected, "\(filter)")
        #expect(try await store.deviceCount(filter) == expected.count, "\(filter)")
        for sort in DeviceQuery.Sort.allCases {
          for ascending in [true, false] {
            var query = DeviceQuery(filter: filter, sort: sort, ascending: ascending, limit: 4)
            var paged: [Device] = []
            for _ in 0..<10 {
              let page = try await store.devices(query)
              paged += page.items
              query.cursor = page.nextCursor
              if page.nextCursor == nil { break }
            }
            #expect(Set(paged.map(\.serial)) == Set(expected) && paged.count == expected.count, "\(filter) \(sort)")
            let keys = paged.map { Self.place($0, sort) }
            #expect(keys == (ascending ? keys.sorted() : keys.sorted().reversed()), "\(filter) \(sort)")
          }
        }
      }
      let cursor = try await store.devices(DeviceQuery(limit: 2)).nextCursor
      await #expect(throws: InvalidCursor.self) { try await store.devices(DeviceQuery(sort: .serial, cursor: cursor)) }
      await #expect(throws: InvalidCursor.self) {
        try await store.devices(DeviceQuery(ascending: true, cursor: cursor))
      }
      await #expect(throws: InvalidCursor.self) { try await store.serials(SerialQuery(cursor: cursor)) }
    }
  }

  private static func place(_ device: Device, _ sort: DeviceQuery.Sort) -> String {
    func padded(_ number: Double) -> String { String(format: "%020.6f", number) }
    return switch sort {
    case .lastSeen: padded(device.lastSeen.timeIntervalSince1970)
    case .firstSeen: padded(device.firstSeen.timeIntervalSince1970)
    case .timesSeen: padded(Double(device.timesSeen))
    case .serial: device.serial
    case .deviceType: (device.deviceType ?? "").lowercased()
    }
  }

  func searchesSerialTypeFilenameAndValues() async throws {
    try await stores.withStore { store, _ in
      _ = try await store.save(
        NewSerial(
          serial: "C02XL0THJHCC", confidence: 1, source: .ios, isValid: true, deviceType: "École",
          filename: "bench 7.jpg"))
      _ = try await store.save(NewSerial(serial: "F2LXK1ABCD", confidence: 1, source: .ios, isValid: true))
      _ = try await store.changeDevice(
        serial: "F2LXK1ABCD", DeviceChange(custom: ["tag": "RM-00042", "place": "Москва, 100 %"]), keyID: nil)
      func found(_ search: String) async throws -> [String] {
        let filter = DeviceFilter(search: search)
        let serials = try await store.devices(DeviceQuery(filter: filter, sort: .serial, ascending: true)).items.map(
          \.serial)
        #expect(try await store.deviceCount(filter) == serials.count)
        return serials
      }
      for (search, serial) in [
        ("l0th-jh", "C02XL0THJHCC"), ("ÉCOLE", "C02XL0THJHCC"), ("bench 7", "C02XL0THJHCC"), ("c0", "C02XL0THJHCC"),
        ("rm-000", "F2LXK1ABCD"), ("МОСКВА", "F2LXK1ABCD"), ("100 %", "F2LXK1ABCD"),
      ] {
        #expect(try await found(search) == [serial], "\(search)")
      }
      _ = try await store.changeDevice(serial: "F2LXK1ABCD", DeviceChange(custom: ["tag": "RM-00043"]), keyID: nil)
      #expect(try await found("RM-00042").isEmpty)
      #expect(try await found("RM-00043") == ["F2LXK1ABCD"])
      let removal: [String: String?] = ["tag": nil, "place": nil]
      let changed = try await store.changeDevice(serial: "F2LXK1ABCD", DeviceChange(custom: removal), keyID: nil)
      #expect(changed?.custom == [:])
      #expect(try await found("RM-0004").isEmpty)
    }
  }

  func limitedKeySeesOnlyItsDevices() async throws {
    try await stores.withStore { store, _ in
      for (serial, key, confidence) in [
        ("C02XL0THJHCC", "one", 0.7), ("C02XL0THJHCC", "two", 0.99), ("F2LXK1ABCD", "two", 0.9),
      ] {
        _ = try await store.save(
          NewSerial(
            serial: serial, confidence: confidence, source: .ios, isValid: true, filename: "\(key).jpg", keyID: key))
      }
      let own = try await store.devices(DeviceQuery(filter: DeviceFilter(keyID: "one"))).items
      #expect(own.map(\.serial) == ["C02XL0THJHCC"] && own.first?.best?.filename == "one.jpg")
      #expect(try await store.deviceCount(DeviceFilter(keyID: "two")) == 2)
      #expect(try await store.deviceCount(DeviceFilter(keyID: "three")) == 0)
      #expect(try await store.device(serial: "F2LXK1ABCD", keyID: "one") == nil)
      #expect(try await store.device(serial: "F2LXK1ABCD", keyID: "two")?.best?.filename == "two.jpg")
      let change = DeviceChange(custom: ["tag": "x"])
      #expect(try await store.changeDevice(serial: "F2LXK1ABCD", change, keyID: "one") == nil)
      #expect(try await store.device(serial: "F2LXK1ABCD", keyID: nil)?.custom == [:])
      #expect(try await store.reads(ofDevice: "C02XL0THJHCC", keyID: "one", limit: 10).count == 1)
      // A read in a batch shows the device to every key, but does not let it change the device.
      let batch = UUID().uuidString.lowercased()
      _ = try await store.addBatch(id: batch, name: "Lot 14", keyID: "two")
      _ = try await store.save(
        NewSerial(
          serial: "F2LXK1ABCD", confidence: 0.8, source: .ios, isValid: true, filename: "shared.jpg", keyID: "two",
          batchID: batch))
      let shared = try await store.device(serial: "F2LXK1ABCD", keyID: "one")
      #expect(shared?.best?.filename == "shared.jpg", "the better read is in no batch")
      let reads = try await store.reads(ofDevice: "F2LXK1ABCD", keyID: "one", limit: 10)
      #expect(reads.map(\.filename) == ["shared.jpg"])
      #expect(try await store.deviceCount(DeviceFilter(keyID: "one")) == 1)
      #expect(try await store.changeDevice(serial: "F2LXK1ABCD", change, keyID: "one") == nil)
    }
  }

  func correctionMovesValuesExceptImported() async throws {
    try await stores.withStore { store, _ in
      let read = try await store.save(NewSerial(serial: "C02XL0THJHCC", confidence: 0.9, source: .ios, isValid: true))
      _ = try await store.changeDevice(
        serial: "C02XL0THJHCC", DeviceChange(custom: ["tag": "RM-1", "grade": "A"], deviceType: "Mac"), keyID: nil)
      _ = try await store.save(NewSerial(serial: "C02G414GMD6N", confidence: 0.9, source: .ios, isValid: true))
      _ = try await store.changeDevice(serial: "C02G414GMD6N", DeviceChange(custom: ["grade": "B"]), keyID: nil)
      _ = try await store.changeSerial(id: read.id, SerialChange(serial: ("C02G414GMD6N", true)))
      var right = try #require(try await store.device(serial: "C02G414GMD6N", keyID: nil))
      #expect(right.custom == ["tag": "RM-1", "grade": "B"] && right.timesSeen == 2 && right.deviceType == "Mac")
      #expect(right.status == .confirmed)
      // The grades differ, so the old device keeps its own.
      let wrong = try #require(try await store.device(serial: "C02XL0THJHCC", keyID: nil))
      #expect(wrong.custom == ["grade": "A"] && wrong.timesSeen == 0 && wrong.status == .imported)
      // A misread serial that belongs to an imported device.
      let listed = ImportedDevice(serial: "F2LXK1ABCD", isValid: true, custom: ["tag": "RM-2"])
      _ = try await store.importDevices([listed], dryRun: false)
      let misread = try await store.save(NewSerial(serial: "F2LXK1ABCD", confidence: 0.9, source: .ios, isValid: true))
      _ = try await store.changeSerial(id: misread.id, SerialChange(serial: ("C02G414GMD6N", true)))
      right = try #require(try await store.device(serial: "C02G414GMD6N", keyID: nil))
      #expect(right.custom["tag"] == "RM-1" && right.timesSeen == 3)
      #expect(try await store.device(serial: "F2LXK1ABCD", keyID: nil)?.custom == ["tag": "RM-2"])
    }
  }

  func deletingLastReadDeletesDeviceWithoutValues() async throws {
    try await stores.withStore { store, _ in
      func save(_ serial: String) async throws -> SavedSerial {
        try await store.save(NewSerial(serial: serial, confidence: 0.9, source: .ios, isValid: true))
      }
      let (bare, tagged) = try await (save("C02XL0THJHCC"), save("C02G414GMD6N"))
      _ = try await store.changeDevice(serial: "C02G414GMD6N", DeviceChange(custom: ["tag": "RM-1"]), keyID: nil)
      for read in [bare, tagged] { _ = try await store.deleteSerial(id: read.id) }
      #expect(try await store.device(serial: "C02XL0THJHCC", keyID: nil) == nil)
      let left = try await store.device(serial: "C02G414GMD6N", keyID: nil)
      #expect(left?.status == .imported && left?.custom == ["tag": "RM-1"] && left?.best == nil)
      let job = newJob()
      _ = try await store.enqueue(job)
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      try await store.finish(claimed.claim, with: .read(reading("C02G414GMD6N"), save: true))
      _ = try await store.confirm(job: job.id, serial: "C02G414GMD6N", isValid: true)
      _ = try await save("C02G414GMD6N")
      #expect(try await store.device(serial: "C02G414GMD6N", keyID: nil)?.best?.hasPhoto == true)
      #expect(try await store.deleteDevice(serial: "C02G414GMD6N") == 2)
      #expect(try await store.deleteDevice(serial: "C02G414GMD6N") == nil)
      #expect(try await store.deviceCount(DeviceFilter()) == 0)
      #expect(try await store.serialCount(SerialFilter()) == 0)
      let ended = try await store.job(id: job.id)
      #expect(ended?.savedToDatabase == false && ended?.confirmedSerial == nil)
      // A new read does not restore the deleted values.
      _ = try await save("C02G414GMD6N")
      #expect(try await store.device(serial: "C02G414GMD6N", keyID: nil)?.custom == [:])
      #expect(try await store.deviceCount(DeviceFilter(search: "RM-1")) == 0)
      // More reads than are deleted at once.
      for _ in 0..<201 { _ = try await save("C02XL0THJHCC") }
      _ = try await store.changeDevice(serial: "C02XL0THJHCC", DeviceChange(custom: ["tag": "RM-2"]), keyID: nil)
      #expect(try await store.deleteDevice(serial: "C02XL0THJHCC") == 201)
      #expect(try await store.deviceCount(DeviceFilter()) == 1)
    }
  }

  func importCreatesAndChangesDevices() async throws {
    try await stores.withStore { store, _ in
      _ = try await store.save(NewSerial(serial: "C02XL0THJHCC", confidence: 0.9, source: .ios, isValid: true))
      let list = [
        ImportedDevice(serial: "C02XL0THJHCC", isValid: true, custom: ["tag": "RM-1"]),
        ImportedDevice(serial: "C02G414GMD6N", isValid: true, custom: ["tag": "RM-2", "grade": "A"]),
        ImportedDevice(serial: "12345", isValid: false, custom: [:]),
      ]
      func outcome(_ list: [ImportedDevice], dryRun: Bool = false) async throws -> [Int] {
        let done = try await store.importDevices(list, dryRun: dryRun)
        return [done.created, done.changed, done.unchanged]
      }
      #expect(try await outcome(list, dryRun: true) == [2, 1, 0])
      #expect(try await store.deviceCount(DeviceFilter()) == 1)
      #expect(try await outcome(list) == [2, 1, 0])
      #expect(try await outcome(list) == [0, 0, 3])
      let changed = [ImportedDevice(serial: "C02G414GMD6N", isValid: true, custom: ["grade": "B"])]
      #expect(try await outcome(changed) == [0, 1, 0])
      let device = try #require(try await store.device(serial: "C02G414GMD6N", keyID: nil))
      #expect(device.custom == ["tag": "RM-2", "grade": "B"] && device.status == .imported && device.isValid)
      #expect(device.timesSeen == 0 && device.best == nil)
      #expect(try await store.device(serial: "12345", keyID: nil)?.isValid == false)
      // Its first read sets when it was first seen.
      let readAt = Date(timeIntervalSince1970: 1_700_000_000)
      _ = try await store.save(
        NewSerial(serial: "C02G414GMD6N", confidence: 0.9, source: .ios, isValid: true, readAt: readAt))
      let seen = try await store.device(serial: "C02G414GMD6N", keyID: nil)
      #expect(seen?.firstSeen == readAt && seen?.lastSeen == readAt && seen?.timesSeen == 1)
    }
  }

  func importTakesLongLists() async throws {
    try await stores.withStore { store, _ in
      func list(_ numbers: Range<Int>, _ custom: (Int) -> [String: String]) -> [ImportedDevice] {
        numbers.map { ImportedDevice(serial: "C02XL0TH\(1000 + $0)", isValid: $0 % 7 != 0, custom: custom($0)) }
      }
      func outcome(_ list: [ImportedDevice], dryRun: Bool = false) async throws -> [Int] {
        let done = try await store.importDevices(list.shuffled(), dryRun: dryRun)
        return [done.created, done.changed, done.unchanged]
      }
      let first = list(0..<350) { $0 % 5 == 0 ? [:] : ["tag": "RM-\($0)", "grade": "A"] }
      #expect(try await outcome(first) == [350, 0, 0])
      #expect(try await outcome(first, dryRun: true) == [0, 0, 350])
      let second = list(300..<500) { ["tag": "RM-\($0)"] }
      #expect(try await outcome(second, dryRun: true) == [150, 10, 40])
      #expect(try await outcome(second) == [150, 10, 40])
      #expect(try await store.deviceCount(DeviceFilter()) == 500)
      #expect(try await store.deviceCount(DeviceFilter(isValid: false)) == 72)
      #expect(try await store.deviceCount(DeviceFilter(custom: ["grade": "A"])) == 280)
      let custom = try await store.customValues(ofDevices: Set((first + second).map(\.serial)))
      #expect(custom.count == 440 && custom["C02XL0TH1000"] == nil && custom["C02XL0TH1305"] == ["tag": "RM-305"])
      #expect(custom["C02XL0TH1301"] == ["tag": "RM-301", "grade": "A"])
      let found = try await store.devices(DeviceQuery(filter: DeviceFilter(search: "rm-444")))
      #expect(found.items.map(\.serial) == ["C02XL0TH1444"])
    }
  }

  /// Others can write between the transactions of an import, so its devices appear one after another.
  func importOfLongListTakesShortTransactions() async throws {
    try await stores.withStore { store, _ in
      let list = (1000..<2000).map {
        ImportedDevice(serial: "C02XL0TH\($0)", isValid: true, custom: ["tag": "RM-\($0)"])
      }
      async let done = store.importDevices(list, dryRun: false)
      var found = 0
      let deadline = ContinuousClock.now + .seconds(60)
      while found == 0, .now < deadline { found = try await store.deviceCount(DeviceFilter()) }
      #expect(found < list.count)
      #expect(try await done.created == list.count)
    }
  }

  func photoCodeNeverReplacesSetValue() async throws {
    try await stores.withStore { store, _ in
      func read(_ serial: String, _ tag: String, save: Bool = true) async throws -> String {
        var read = reading(serial, confidence: save ? 0.98 : 0.7)
        if !save { read.verdict = .uncertain }
        read.custom = ["tag": tag]
        let job = newJob()
        _ = try await store.enqueue(job)
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.finish(claimed.claim, with: .read(read, save: save))
        return job.id
      }
      func tag(_ serial: String) async throws -> String? {
        try await store.device(serial: serial, keyID: nil)?.custom["tag"]
      }
      _ = try await read("C02XL0THJHCC", "RM-1")
      #expect(try await tag("C02XL0THJHCC") == "RM-1")
      _ = try await read("C02XL0THJHCC", "RM-2")
      #expect(try await tag("C02XL0THJHCC") == "RM-2")
      _ = try await store.changeDevice(serial: "C02XL0THJHCC", DeviceChange(custom: ["tag": "RM-3"]), keyID: nil)
      _ = try await read("C02XL0THJHCC", "RM-4")
      #expect(try await tag("C02XL0THJHCC") == "RM-3")
      // Nor does it replace one that a list has confirmed.
      _ = try await read("F2LXK1ABCD", "RM-6")
      let listed = ImportedDevice(serial: "F2LXK1ABCD", isValid: true, custom: ["tag": "RM-6"])
      #expect(try await store.importDevices([listed], dryRun: false).unchanged == 1)
      _ = try await read("F2LXK1ABCD", "RM-7")
      #expect(try await tag("F2LXK1ABCD") == "RM-6")
      // A read that needs review sets the value once it is confirmed.
      let doubtful = try await read("C02G414GMD6N", "RM-5", save: false)
      #expect(try await tag("C02G414GMD6N") == nil)
      _ = try await store.confirm(job: doubtful, serial: "C02G414GMD6M", isValid: true)
      #expect(try await tag("C02G414GMD6M") == "RM-5")
      #expect(try await store.job(id: doubtful)?.reading?.custom == ["tag": "RM-5"])
    }
  }
}

import Foundation
import JobStore
import ScanModel
import Testing

/// Searches and filters of saved serials.
public struct SearchConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: ServerStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("Lists and counts match their filters") { try await $0.listsAndCountsMatchFilters() },
      Check("Non-ASCII texts are sorted, paged both ways, and found in any case") {
        try await $0.sortsAndFindsNonASCIITexts()
      },
      Check("A part of a serial is found in any grouping, and names that contain the search") {
        try await $0.findsPartsOfSerialsInAnyGrouping()
      },
    ]
  }

  func listsAndCountsMatchFilters() async throws {
    try await stores.withStore { store, _ in
      try await store.fill(count: 60)
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
      // The cases above distinguish serials.
      #expect(
        all.contains { !$0.isValid } && all.contains { $0.createdAt < day } && all.contains { $0.createdAt > day })
    }
  }

  func findsPartsOfSerialsInAnyGrouping() async throws {
    try await stores.withStore { store, _ in
      for (serial, filename) in [("C02XL0THJHCC", "IMG_1.jpg"), ("F2LXK1ABCD", "desk c02x-l0th.jpg")] {
        _ = try await store.save(
          NewSerial(serial: serial, confidence: 1, source: .ios, isValid: true, filename: filename))
      }
      for (search, found) in [
        ("c02x-l0th", ["C02XL0THJHCC", "F2LXK1ABCD"]), ("C02X L0TH", ["C02XL0THJHCC"]), ("L0TH JHCC", ["C02XL0THJHCC"]),
        ("c02x.l0", ["C02XL0THJHCC"]), ("Ｃ０２Ｘ Ｌ０ＴＨ", ["C02XL0THJHCC"]), ("C02\u{200B}XL0", ["C02XL0THJHCC"]),
        ("l0th\u{2011}jh", ["C02XL0THJHCC"]), ("C-", ["C02XL0THJHCC"]),
        ("img_1", ["C02XL0THJHCC"]), ("c02x_l0th", []), ("c02x l0tj", []), ("-.-", []),
      ] {
        let filter = SerialFilter(search: search)
        let hits = try await store.serials(SerialQuery(filter: filter, ascending: true)).items
        #expect(Set(hits.map(\.serial)) == Set(found), "\(search)")
        #expect(try await store.serialCount(filter) == found.count, "\(search)")
      }
    }
  }

  func sortsAndFindsNonASCIITexts() async throws {
    try await stores.withStore { store, _ in
      for (number, text) in wideTexts.enumerated() {
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
      for (deviceType, count) in [
        ("ALPHA", 2), ("ÉCOLE", 2), ("École", 2), ("📱 PRO", 2), ("москва", 2), ("İSTANBUL", 1), ("STRAẞE", 1),
        ("ωmega", 1),
      ] {
        let filter = SerialFilter(deviceType: deviceType)
        #expect(try await store.serials(SerialQuery(filter: filter)).items.count == count, "\(deviceType)")
        #expect(try await store.serialCount(filter) == count, "\(deviceType)")
      }
      let types = try await store.serialStatistics(days: 1).byDeviceType
      #expect(types.values.sorted() == [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2])
    }
  }

  /// A device type's place in a list: its bytes, with each letter in lower case where that is one letter.
  private static func place(_ serial: SavedSerial) -> String {
    let small = (serial.deviceType ?? "").unicodeScalars.map { scalar in
      let small = scalar.properties.lowercaseMapping
      return small.unicodeScalars.count == 1 ? small : "\(scalar)"
    }
    // As hexadecimal digits: Swift's own order of texts is not that of their bytes.
    return small.joined().utf8.map { String(format: "%02x", $0) }.joined()
  }
}

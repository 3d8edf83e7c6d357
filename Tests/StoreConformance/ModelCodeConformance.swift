import Foundation
import JobStore
import Testing

/// The configuration codes that a store knows.
public struct ModelCodeConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: ModelCodeStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("Codes are imported once, and keep what was counted") { try await $0.codesAreImportedOnce() },
      Check("A count of nothing makes nothing, and what is taken back goes") { try await $0.countsAreTakenBack() },
      Check("Codes are removed together or not at all") { try await $0.codesAreRemovedTogether() },
    ]
  }

  /// Codes are imported once, and keep what was counted.
  func codesAreImportedOnce() async throws {
    try await stores.withStore { store, _ in
      try await store.countModelCode("MD6N", model: "A2141")
      let codes = [
        ModelCode(code: "MD6N", model: "A2141", isImported: true),
        ModelCode(code: "DV7", model: "MacBook Pro \"13\"; ü", isImported: true),
      ]
      #expect(try await store.addModelCodes(codes) == 1)
      #expect(try await store.addModelCodes(codes) == 0)
      try await store.countModelCode("MD6N", model: "A2141")
      #expect(
        try await store.modelCodes() == [
          ModelCode(code: "DV7", model: "MacBook Pro \"13\"; ü", isImported: true),
          ModelCode(code: "MD6N", model: "A2141", isImported: true, confirmed: 2),
        ])
      try await store.countModelCode("MD6N", model: "A1990")
      #expect(try await store.modelCodeCount() == 2)
    }
  }

  /// A count of nothing makes nothing, and what is taken back goes.
  func countsAreTakenBack() async throws {
    try await stores.withStore { store, _ in
      try await store.countModelCode("MD6N", model: nil)
      try await store.uncountModelCode("MD6N", model: "A2141")
      #expect(try await store.modelCodes().isEmpty)
      try await store.countModelCode("MD6N", model: "A2141")
      try await store.countModelCode("MD6N", model: nil)
      #expect(try await store.modelCodes().map(\.confirmed) == [2])
      try await store.uncountModelCode("MD6N", model: nil)
      #expect(try await store.modelCodes().map(\.confirmed) == [1])
      try await store.uncountModelCode("MD6N", model: "A2141")
      #expect(try await store.modelCodes().isEmpty)
      _ = try await store.addModelCodes([ModelCode(code: "LVCF", model: "A1990", isImported: true)])
      try await store.uncountModelCode("LVCF", model: "A1990")
      #expect(try await store.modelCodes().map(\.code) == ["LVCF"])
    }
  }

  /// Codes are removed together or not at all.
  func codesAreRemovedTogether() async throws {
    try await stores.withStore { store, _ in
      let codes = [("MD6N", "A2141"), ("MD6N", "MacBookPro16,1"), ("LVCF", "A1990")]
      _ = try await store.addModelCodes(codes.map { ModelCode(code: $0.0, model: $0.1, isImported: true) })
      #expect(try await store.removeModelCodes(["MD6N", "QQQQ"]) == ["QQQQ"])
      #expect(try await store.modelCodes().count == 3)
      #expect(try await store.removeModelCodes(["MD6N", "LVCF"]).isEmpty)
      #expect(try await store.modelCodes().isEmpty)
    }
  }
}

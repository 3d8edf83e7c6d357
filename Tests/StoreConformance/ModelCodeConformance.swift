import Foundation
import JobStore
import Testing

/// Configuration codes and the models they stand for.
public struct ModelCodeConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: ModelCodeStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("Codes are imported once and keep their counts") { try await $0.importedCodesKeepTheirCounts() },
      Check("An unknown model counts nothing, and a code whose count reaches zero is removed") {
        try await $0.uncountingRemovesUnusedCode()
      },
      Check("Codes are removed all together or not at all") { try await $0.removesAllCodesOrNone() },
    ]
  }

  func importedCodesKeepTheirCounts() async throws {
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

  func uncountingRemovesUnusedCode() async throws {
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

  func removesAllCodesOrNone() async throws {
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

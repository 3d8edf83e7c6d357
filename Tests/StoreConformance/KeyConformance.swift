import Foundation
import JobStore
import Testing

/// The keys of the API.
public struct KeyConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: KeyStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("Keys are added, counted and revoked; a revoked key's name is available again") {
        try await $0.addsCountsAndRevokesKeys()
      }
    ]
  }

  func addsCountsAndRevokesKeys() async throws {
    try await stores.withStore { store, _ in
      let key = try await store.addKey(id: "0a1b", name: "phone", hash: "h", scopes: ["scan", "read"])
      #expect(try await store.keys(includingRevoked: false) == [key])
      await #expect(throws: KeyError.nameTaken("phone")) {
        try await store.addKey(id: "ffff", name: "phone", hash: "h2", scopes: [])
      }
      let usedAt = Date(microseconds: 1_700_000_000_000_000)
      try await store.countKeyUses([
        "0a1b": KeyUses(count: 3, lastUsedAt: usedAt), "unknown": KeyUses(count: 1, lastUsedAt: usedAt),
      ])
      // Another server stores earlier uses later.
      try await store.countKeyUses(["0a1b": KeyUses(count: 2, lastUsedAt: usedAt - 60)])
      let used = try #require(try await store.keys(includingRevoked: false).first)
      #expect(used.useCount == 5 && used.lastUsedAt == usedAt && used.scopes == ["scan", "read"])
      #expect(try await store.revokeKey("phone")?.id == "0a1b")
      #expect(try await store.revokeKey("phone") == nil)
      #expect(try await store.keys(includingRevoked: false) == [])
      #expect(try await store.keys(includingRevoked: true).first?.revokedAt != nil)
      _ = try await store.addKey(id: "ffff", name: "phone", hash: "h2", scopes: [])
      // The id of one key is the name of another.
      _ = try await store.addKey(id: "0b1c", name: "ffff", hash: "h3", scopes: [])
      #expect(try await store.revokeKey("ffff")?.name == "phone")
      #expect(try await store.keys(includingRevoked: false).map(\.id) == ["0b1c"])
      #expect(try await store.revokeKey("ffff")?.id == "0b1c")
    }
  }
}

import JobStore

/// The keys that are valid, looked up again every few seconds, and how often each was used.
actor KeyRing {
  /// After which a key added or revoked from the shell counts.
  private static let freshness = Duration.seconds(2)

  private let store: any KeyStore
  private var keys: [String: StoredKey] = [:]
  private var loadedAt: ContinuousClock.Instant?
  private var uses: [String: Int] = [:]

  init(store: any KeyStore) { self.store = store }

  /// Whether no key is configured, so that everybody may do everything.
  func isOpen() async throws -> Bool {
    try await refresh()
    return keys.isEmpty
  }

  /// The stored key that a text is, nil where it is none.
  func key(_ text: String) async throws -> StoredKey? {
    try await refresh()
    guard let key = AccessKey(text), let stored = keys[key.id], key.matches(stored) else { return nil }
    uses[stored.id, default: 0] += 1
    return stored
  }

  private func refresh() async throws {
    if let loadedAt, loadedAt.duration(to: .now) < Self.freshness { return }
    keys = Dictionary(try await store.keys(includingRevoked: false).map { ($0.id, $0) }) { $1 }
    loadedAt = .now
    guard !uses.isEmpty else { return }
    let counted = uses
    uses = [:]
    try await store.countKeyUses(counted)
  }
}

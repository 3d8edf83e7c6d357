import Foundation
import JobStore
import Logging
import ServiceLifecycle

/// The valid keys, refreshed twice per second, and counters of their use.
public actor KeyRing: Service {
  /// The age at which keys are fetched again: a key added or revoked elsewhere takes effect within a second, including
  /// the query.
  private static let freshness = Duration.milliseconds(500)
  /// The interval at which uses are stored.
  private static let storing = Duration.seconds(2)

  private struct Look {
    /// When the fetch began. Its age counts from here, because changes made while the store responds may be missing.
    var begun: ContinuousClock.Instant
    var keys: Task<[StoredKey], any Error>
  }

  private let store: any KeyStore
  private let logger: Logger
  private var keys: [String: StoredKey] = [:]
  private var hasHadKeys = false
  private var loadedAt: ContinuousClock.Instant?
  /// The fetch in progress, shared by concurrent requests.
  private var look: Look?
  /// When a key was last created or revoked here; fetches begun earlier are discarded.
  private var changedAt = ContinuousClock.now
  private var uses: [String: KeyUses] = [:]

  /// Creates a key ring; the first request fetches the keys.
  public init(store: any KeyStore, logger: Logger) {
    self.store = store
    self.logger = logger
  }

  /// Whether no key was ever created, so that everyone may do everything. A server whose last key was revoked stays
  /// closed: revoking a key never opens a server.
  public func isOpen() async throws -> Bool {
    try await refresh()
    return !hasHadKeys
  }

  /// Returns the stored key that matches a text; nil if invalid.
  public func key(_ text: String) async throws -> StoredKey? {
    try await refresh()
    guard let key = AccessKey(text), let stored = keys[key.id], key.matches(stored) else { return nil }
    let use = KeyUses(count: 1, lastUsedAt: Date())
    uses[stored.id] = uses[stored.id].map { $0 + use } ?? use
    return stored
  }

  /// Returns the ids of the valid keys.
  public func validIDs() async throws -> Set<String> {
    try await refresh()
    return Set(keys.keys)
  }

  /// Makes the next request fetch the keys again, because one was just created or revoked.
  public func forgetWhatIsKnown() {
    changedAt = .now
    loadedAt = nil
    look = nil
  }

  /// Stores the uses regularly, and once more when the server stops.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        try? await Task.sleep(for: Self.storing)
        await self.storeUses()
      }
    }
    await storeUses()
  }

  private func refresh() async throws {
    if let loadedAt, loadedAt.duration(to: .now) < Self.freshness { return }
    let shared = look ?? Look(begun: .now, keys: Task { [store] in try await store.keys(includingRevoked: true) })
    look = shared
    defer { if look?.keys == shared.keys { look = nil } }
    let all = try await shared.keys.value
    guard shared.begun >= changedAt else { return try await refresh() }
    if let loadedAt, loadedAt > shared.begun { return }
    hasHadKeys = !all.isEmpty
    keys = Dictionary(all.filter { $0.revokedAt == nil }.map { ($0.id, $0) }) { $1 }
    loadedAt = shared.begun
  }

  /// Stores the uses. Counts that can't be stored are kept for the next time.
  private func storeUses() async {
    guard !uses.isEmpty else { return }
    let counted = uses
    uses = [:]
    do {
      try await store.countKeyUses(counted)
    } catch {
      uses.merge(counted, uniquingKeysWith: +)
      logger.warning("the use counts of keys could not be stored; retrying", metadata: ["error": "\(error)"])
    }
  }
}

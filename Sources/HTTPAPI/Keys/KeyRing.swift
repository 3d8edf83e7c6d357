import JobStore
import Logging
import ServiceLifecycle

/// The keys that are valid, looked up again twice a second, and how often each was used.
public actor KeyRing: Service {
  /// After which a key added or revoked elsewhere counts here: within a second, the look into the store included.
  private static let freshness = Duration.milliseconds(500)
  /// Between two times that uses are stored.
  private static let storing = Duration.seconds(2)

  private struct Look {
    /// A look is as old as its beginning: what changes while the store answers may not be in the answer.
    var begun: ContinuousClock.Instant
    var keys: Task<[StoredKey], any Error>
  }

  private let store: any KeyStore
  private let logger: Logger
  private var keys: [String: StoredKey] = [:]
  private var hasHadKeys = false
  private var loadedAt: ContinuousClock.Instant?
  /// The look that is under way, for everybody who asks meanwhile.
  private var look: Look?
  /// When a key was made or revoked here; looks that were begun before it count for nothing.
  private var changedAt = ContinuousClock.now
  private var uses: [String: Int] = [:]

  /// Begins without looking: the first request does.
  public init(store: any KeyStore, logger: Logger) {
    self.store = store
    self.logger = logger
  }

  /// Whether no key was ever configured, so that everybody may do everything. A server whose last key was revoked is
  /// closed: nobody revokes a key to let everybody in.
  public func isOpen() async throws -> Bool {
    try await refresh()
    return !hasHadKeys
  }

  /// The stored key that a text is, nil if invalid.
  public func key(_ text: String) async throws -> StoredKey? {
    try await refresh()
    guard let key = AccessKey(text), let stored = keys[key.id], key.matches(stored) else { return nil }
    uses[stored.id, default: 0] += 1
    return stored
  }

  /// The ids of the keys that are valid.
  public func validIDs() async throws -> Set<String> {
    try await refresh()
    return Set(keys.keys)
  }

  /// Looks the keys up again with the next request: one was just made or revoked.
  public func forgetWhatIsKnown() {
    changedAt = .now
    loadedAt = nil
    look = nil
  }

  /// Stores the uses now and then, and a last time when the server stops.
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

  /// Counts that can't be stored now are stored with the next ones.
  private func storeUses() async {
    guard !uses.isEmpty else { return }
    let counted = uses
    uses = [:]
    do {
      try await store.countKeyUses(counted)
    } catch {
      uses.merge(counted, uniquingKeysWith: +)
      logger.warning("the uses of keys could not be stored", metadata: ["error": "\(error)"])
    }
  }
}

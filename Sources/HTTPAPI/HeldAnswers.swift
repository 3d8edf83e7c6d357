import JobStore
import ServiceLifecycle
import Support

/// A place among the held responses; it is freed when this value is released.
final class HeldPlace: Sendable {
  private let leave: @Sendable () -> Void

  init(_ leave: @escaping @Sendable () -> Void) { self.leave = leave }

  deinit { leave() }
}

/// The responses that are held until a job ends, or that stream events. Each client has a share of them, and none
/// outlives its key.
final class HeldAnswers: Service {
  /// The reasons for which a held response ends.
  private enum Ending {
    case revoked
    case stopping
  }

  private struct Held {
    var caller: String
    var keyID: String?
    var end: @Sendable (Ending) -> Void
  }

  private struct State {
    var held: [UInt64: Held] = [:]
    var counts: [String: Int] = [:]
    var lastNumber: UInt64 = 0
  }

  /// The interval at which keys are checked: revoking a key takes effect within a second.
  private static let interval = Duration.milliseconds(500)

  private let keys: KeyRing
  /// The maximum number of responses held for one key, or for one address without a key.
  private let share: Int
  private let state = Locked(State())

  /// Creates the places.
  ///
  /// - Parameter most: The maximum number of connections; one client may hold half of them.
  init(keys: KeyRing, most: Int) {
    self.keys = keys
    share = max(1, most / 2)
  }

  /// Runs work, and cancels it when the client disconnects, when its key is revoked, or when the server is stopping and
  /// `grace` is over; returns nil in the last case.
  ///
  /// - Throws: `APIError` if the client holds too many responses or its key was revoked.
  func hold<Value: Sendable>(
    _ context: APIContext, grace: Duration = .zero, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value? {
    let task = Task { try await work() }
    let ending = Locked<Ending?>(nil)
    let end: @Sendable (Ending) -> Void = { reason in
      ending.withLock { $0 = $0 ?? reason }
      task.cancel()
    }
    do {
      let number = try begin(Held(caller: context.callerName, keyID: context.caller.keyID, end: end))
      defer { self.end(number) }
      return try await withGracefulShutdownHandler {
        try await context.whileConnected(task)
      } onGracefulShutdown: {
        guard grace > .zero else { return end(.stopping) }
        Task {
          try? await Task.sleep(for: grace)
          end(.stopping)
        }
      }
    } catch is CancellationError {
      task.cancel()
      switch ending.withLock({ $0 }) {
      case .stopping: return nil
      case .revoked: throw APIError.keyUnknown
      case nil: throw CancellationError()
      }
    } catch {
      task.cancel()
      throw error
    }
  }

  /// Reserves a place for a streamed response. Calls `end` if the client's key is revoked.
  ///
  /// - Throws: `APIError` if the client holds too many responses.
  func place(for context: APIContext, end: @escaping @Sendable () -> Void) throws(APIError) -> HeldPlace {
    let number = try begin(Held(caller: context.callerName, keyID: context.caller.keyID) { _ in end() })
    return HeldPlace { [self] in self.end(number) }
  }

  /// Until the server stops, ends responses whose keys are no longer valid, and those begun without a key once keys
  /// exist.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await Task.sleep(for: Self.interval)) != nil { await self.endRevoked() }
    }
  }

  private func endRevoked() async {
    guard state.withLock({ !$0.held.isEmpty }), let valid = try? await keys.validIDs(),
      let isOpen = try? await keys.isOpen()
    else { return }
    // Responses without a key began while no keys existed.
    let ended = state.withLock { $0.held.values.filter { $0.keyID.map { !valid.contains($0) } ?? !isOpen } }
    for held in ended { held.end(.revoked) }
  }

  private func begin(_ held: Held) throws(APIError) -> UInt64 {
    try state.withLock { (state) throws(APIError) in
      guard state.counts[held.caller, default: 0] < share else { throw APIError.tooManyHeld(share) }
      state.counts[held.caller, default: 0] += 1
      state.lastNumber += 1
      state.held[state.lastNumber] = held
      return state.lastNumber
    }
  }

  private func end(_ number: UInt64) {
    state.withLock { state in
      guard let held = state.held.removeValue(forKey: number), let count = state.counts[held.caller] else { return }
      state.counts[held.caller] = count > 1 ? count - 1 : nil
    }
  }
}

extension APIError {
  fileprivate static func tooManyHeld(_ share: Int) -> APIError {
    APIError(
      .rateLimited,
      "You have \(share) open responses, the maximum for one client. Close one, omit `wait`, or try again later.",
      retryAfter: 5)
  }
}

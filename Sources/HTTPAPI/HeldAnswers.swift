import JobStore
import ServiceLifecycle
import Support

/// A place among the held answers, for as long as this value lives.
final class HeldPlace: Sendable {
  private let leave: @Sendable () -> Void

  init(_ leave: @escaping @Sendable () -> Void) { self.leave = leave }

  deinit { leave() }
}

/// The answers that are held until a job has ended or are streams of events: each client has a share of them, and none outlives
/// its key.
final class HeldAnswers: Service {
  /// Why an answer is held no longer.
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

  /// How often keys are looked at: a revoked one counts within a second.
  private static let interval = Duration.milliseconds(500)

  private let keys: KeyRing
  /// Answers held for one key, or for one address without one.
  private let share: Int
  private let state = Locked(State())

  /// - Parameter most: Connections at once; one client may hold half of them.
  init(keys: KeyRing, most: Int) {
    self.keys = keys
    share = max(1, most / 2)
  }

  /// Runs work that waits, and cancels it when the client hangs up, its key is revoked, or the server has begun to stop and
  /// `grace` is over; nil in the last case.
  ///
  /// - Throws: `APIError` where the client holds too many answers, or its key was revoked.
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

  /// Takes a place for an answer that is a stream. `end` is called if the client's key is revoked.
  ///
  /// - Throws: `APIError` if the client holds too many answers.
  func place(for context: APIContext, end: @escaping @Sendable () -> Void) throws(APIError) -> HeldPlace {
    let number = try begin(Held(caller: context.callerName, keyID: context.caller.keyID) { _ in end() })
    return HeldPlace { [self] in self.end(number) }
  }

  /// Ends answers whose keys are no longer valid, or that began without one before there were keys, until the server stops.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await Task.sleep(for: Self.interval)) != nil { await self.endRevoked() }
    }
  }

  private func endRevoked() async {
    guard state.withLock({ !$0.held.isEmpty }), let valid = try? await keys.validIDs(),
      let isOpen = try? await keys.isOpen()
    else { return }
    // Without a key they were begun while the server was open.
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
      "\(share) answers are held for you already, the most for one client. Close one, ask without `wait`, or come later.",
      retryAfter: 5)
  }
}

import Foundation
import Support

/// Listens to a database's channels on its own connection and thread, and reconnects when the connection breaks.
///
/// PostgreSQL does not deliver notifications to disconnected clients, so `.connected` means that anything may have
/// happened before.
package final class PostgresListener: Sendable {
  /// A listener's event.
  package enum Event: Sendable, Equatable {
    /// Listening started or resumed.
    case connected
    /// A notification arrived.
    case notification(channel: String, payload: String)
    /// The connection broke; the listener reconnects.
    case disconnected(PostgresError)
  }

  /// Time without notifications after which the connection is checked.
  private static let silence = Duration.seconds(5)
  private static let pause: TimeInterval = 0.5

  private let isStopped = Locked(false)

  /// Starts listening.
  ///
  /// - Parameters:
  ///   - channels: Channel names of letters, digits and underscores.
  ///   - hear: Called on the listener's thread; must not block.
  package init(
    address: PostgresAddress, channels: [String], times: PostgresTimes = PostgresTimes(),
    hear: @escaping @Sendable (Event) -> Void
  ) {
    let thread = Thread { [isStopped] in
      while !isStopped.withLock({ $0 }) {
        do throws(PostgresError) {
          try Self.listen(address, channels, times, isStopped, hear)
        } catch {
          hear(.disconnected(error))
          Thread.sleep(forTimeInterval: Self.pause)
        }
      }
    }
    thread.name = "postgres-listen"
    thread.stackSize = 1 << 20
    thread.start()
  }

  /// Stops listening within a few seconds.
  package func stop() {
    isStopped.withLock { $0 = true }
  }

  deinit { stop() }

  private static func listen(
    _ address: PostgresAddress, _ channels: [String], _ times: PostgresTimes, _ isStopped: Locked<Bool>,
    _ hear: @Sendable (Event) -> Void
  ) throws(PostgresError) {
    let connection = try PostgresConnection(to: address, times: times)
    for channel in channels { try connection.run("LISTEN \"\(channel)\"") }
    hear(.connected)
    while !isStopped.withLock({ $0 }) {
      let notes = try connection.notifications(waiting: silence)
      for note in notes { hear(.notification(channel: note.channel, payload: note.payload)) }
      if notes.isEmpty { try connection.run("SELECT 1") }
    }
  }
}

import Foundation
import Support

/// Listens to channels of a database on a connection and a thread of its own, and connects again whenever that breaks.
///
/// PostgreSQL forgets notifications for who is not connected: after each connecting `.connected` tells that anything may
/// have happened before it.
package final class PostgresListener: Sendable {
  /// What is heard.
  package enum Event: Sendable, Equatable {
    /// Listening begins, for the first time or again.
    case connected
    /// Somebody notified a channel.
    case notification(channel: String, payload: String)
    /// The connection broke; it is made anew.
    case disconnected(PostgresError)
  }

  /// A connection on which nothing is heard for so long is asked whether it still stands.
  private static let silence = Duration.seconds(5)
  private static let pause: TimeInterval = 0.5

  private let isStopped = Locked(false)

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - channels: Names of letters, digits and underscores.
  ///   - hear: Called on the listener's thread; it must not block.
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

  /// Ends listening within a few seconds.
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

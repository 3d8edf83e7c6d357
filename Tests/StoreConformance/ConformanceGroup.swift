import Foundation
import JobStore
import Testing

/// Creates stores for a suite to check.
public protocol TestedStores: Sendable {
  /// The kind of store.
  associatedtype Store: JobWatching

  /// Runs `body` with a fresh store and its clock; deletes the store afterwards.
  func withStore(limits: QueueLimits, _ body: @Sendable (Store, any TestTime) async throws -> Void) async throws
}

extension TestedStores {
  /// Runs `body` with a fresh store whose queue has no limit.
  public func withStore(_ body: @Sendable (Store, any TestTime) async throws -> Void) async throws {
    try await withStore(limits: .none, body)
  }
}

/// The clock of a store under test, which a check advances without waiting.
public protocol TestTime: Sendable {
  /// Advances leases, delays and the times that are displayed.
  func pass(_ seconds: TimeInterval) async throws

  /// Sets the wall clock of the machine by hand, as an operator or NTP does.
  func setWallClock(by seconds: TimeInterval) async throws
}

/// Checks that belong together, for one kind of store.
public protocol ConformanceGroup: Sendable {
  /// How fresh stores are made.
  associatedtype Stores: TestedStores

  /// Creates the group.
  init(_ stores: Stores)
}

/// A behaviour of every store: an argument of a parameterised test.
public struct Check<Group: ConformanceGroup>: Sendable, CustomTestStringConvertible {
  /// The behaviour, as a sentence.
  public let testDescription: String
  private let body: @Sendable (Group) async throws -> Void

  init(_ description: String, _ body: @escaping @Sendable (Group) async throws -> Void) {
    testDescription = description
    self.body = body
  }

  /// Checks a store of this kind; failures are recorded in the running test.
  public func run(on stores: Group.Stores) async throws {
    try await body(Group(stores))
  }
}

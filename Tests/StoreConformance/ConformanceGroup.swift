import Foundation
import JobStore
import Testing

/// How a suite comes by stores to check.
public protocol TestedStores: Sendable {
  /// The kind of store.
  associatedtype Store: JobWatching

  /// Runs `body` with a fresh store, and the time it goes by; both are gone afterwards.
  func withStore(limits: QueueLimits, _ body: @Sendable (Store, any TestTime) async throws -> Void) async throws
}

extension TestedStores {
  /// Runs `body` with a fresh store that takes as many jobs as come.
  public func withStore(_ body: @Sendable (Store, any TestTime) async throws -> Void) async throws {
    try await withStore(limits: .none, body)
  }
}

/// The time of a store under test, which a check can let pass without waiting.
public protocol TestTime: Sendable {
  /// Lets time pass: for leases, for delays, and for the times that people see.
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

/// One thing that every store promises: an argument of a parameterised test.
public struct Check<Group: ConformanceGroup>: Sendable, CustomTestStringConvertible {
  /// What holds.
  public let testDescription: String
  private let body: @Sendable (Group) async throws -> Void

  init(_ description: String, _ body: @escaping @Sendable (Group) async throws -> Void) {
    testDescription = description
    self.body = body
  }

  /// Holds it against a store of this kind; failures are recorded in the running test.
  public func hold(against stores: Group.Stores) async throws {
    try await body(Group(stores))
  }
}

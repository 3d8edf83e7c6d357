import Foundation
import ScanModel

/// Reads frames alongside tracking, and saves the serials.
public protocol LiveReader: Sendable {
  /// Confidence from which a serial is accepted, 0...1.
  var accept: Double { get }
  /// Confidence below which a serial is not shown, 0...1.
  var refuse: Double { get }

  /// Reserves a free reader for one read, which must follow; returns false if none is free.
  func reserve() -> Bool

  /// Reads an object in the frames that show it, with a reserved reader, which is free again afterwards.
  ///
  /// - Parameter order: The object and its frames.
  /// - Throws: An error if the frames could not be read.
  func read(_ order: SessionReads.Order) async throws -> Reading

  /// Saves a serial. Idempotent: a retry with the same `id` is saved once. A serial that can never be saved is dropped
  /// and logged.
  ///
  /// - Parameter serial: The serial.
  /// - Throws: An error if it was not saved but may be later.
  func save(_ serial: LiveSerial) async throws
}

/// A serial that a session's frames accepted and that is waiting to be saved.
public struct LiveSerial: Sendable, Equatable {
  /// The owner of a session.
  public struct Owner: Sendable, Equatable {
    /// The session's id, as given by the client.
    public var sessionID: String
    /// The key that began it; nil if the server has no keys.
    public var keyID: String?
    /// The batch that its serials are saved into; nil if none.
    public var batchID: String?

    /// Creates an owner.
    public init(sessionID: String, keyID: String?, batchID: String? = nil) {
      self.sessionID = sessionID
      self.keyID = keyID
      self.batchID = batchID
    }
  }

  /// Identifies this serial across attempts to save it.
  public let id = UUID()
  /// The serial.
  public var voted: VotedSerial
  /// The session's owner.
  public var owner: Owner
}

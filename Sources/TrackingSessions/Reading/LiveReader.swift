import Foundation
import ScanModel

/// Reads frames beside the tracking, and keeps what they say.
public protocol LiveReader: Sendable {
  /// Confidence from which a serial is taken, 0...1.
  var accept: Double { get }
  /// Confidence below which a serial is not shown, 0...1.
  var refuse: Double { get }

  /// Takes a reader that is free, for one read that must follow; false where none is.
  func reserve() -> Bool

  /// Reads an object in the frames that show it, with a reader that was reserved, which is free again afterwards.
  ///
  /// - Throws: where the frames could not be read.
  func read(_ order: SessionReads.Order) async throws -> Reading

  /// Saves a serial; the same once more, where the first attempt was thought to have failed, is saved once. Throws where
  /// it is not saved and may be later; what can never be saved is given up with a line in the log.
  func save(_ serial: LiveSerial) async throws
}

/// A serial that a session's frames accepted and that is to be saved.
public struct LiveSerial: Sendable, Equatable {
  /// Whose session it is.
  public struct Owner: Sendable, Equatable {
    /// The session's id, as the client gave it.
    public var sessionID: String
    /// The key that began it; nil where the server was open.
    public var keyID: String?

    /// Creates an owner.
    public init(sessionID: String, keyID: String?) {
      self.sessionID = sessionID
      self.keyID = keyID
    }
  }

  /// Tells attempts at saving this one from those at another.
  public let id = UUID()
  /// The serial.
  public var voted: VotedSerial
  /// Whose it is.
  public var owner: Owner
}

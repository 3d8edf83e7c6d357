import Foundation

/// A program on some machine that serves or reads for a store.
public struct Machine: Sendable, Equatable {
  /// The machine's name, shared by all programs on it.
  public var name: String
  /// Photos it can read at a time; nil if the program's version does not report this.
  public var workers: Int?
  /// Photos it is reading now.
  public var reading: Int
  /// The program's version; nil if it does not report one.
  public var version: String?
  /// Seconds since its last heartbeat.
  public var silence: TimeInterval

  /// Creates a machine's description.
  public init(name: String, workers: Int?, reading: Int, version: String?, silence: TimeInterval) {
    self.name = name
    self.workers = workers
    self.reading = reading
    self.version = version
    self.silence = silence
  }

  /// The name of this machine.
  public static let thisName = ProcessInfo.processInfo.hostName
}

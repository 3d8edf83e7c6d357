import Foundation

/// A program that serves or reads for a store, on some machine.
public struct Machine: Sendable, Equatable {
  /// The machine's name; two programs of one machine have the same.
  public var name: String
  /// How many photos it reads at a time; nil where the program is of a version that does not tell.
  public var workers: Int?
  /// How many photos it reads now.
  public var reading: Int
  /// The program's version; nil where it does not tell.
  public var version: String?
  /// Seconds since its last sign of life.
  public var silence: TimeInterval

  /// Creates a machine's figures.
  public init(name: String, workers: Int?, reading: Int, version: String?, silence: TimeInterval) {
    self.name = name
    self.workers = workers
    self.reading = reading
    self.version = version
    self.silence = silence
  }

  /// The name of the machine that this runs on.
  public static let thisName = ProcessInfo.processInfo.hostName
}

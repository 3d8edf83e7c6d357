import Foundation
import Support

/// The throughput of the latest readings, from which waiting times are estimated.
public struct Throughput: Sendable, Equatable {
  /// Mean wall-clock seconds of the latest readings.
  public var secondsPerReading: Double
  /// Number of workers that did them, at most the number of cores, because a reading keeps a core busy.
  public var workers: Int

  /// Creates a throughput.
  public init(secondsPerReading: Double, workers: Int) {
    self.secondsPerReading = secondsPerReading
    self.workers = workers
  }

  /// Estimated seconds until the job at `position` (1 for the next) has been read.
  public func wait(position: Int) -> TimeInterval {
    let rounds = (Double(max(position, 1)) / Double(max(workers, 1))).rounded(.up)
    return rounds * secondsPerReading
  }
}

extension Throughput {
  /// Maximum seconds of a reading: a day. Larger stored times are clamped.
  private static let longest = 86_400.0

  /// Averages the latest readings; nil without readings.
  ///
  /// - Parameter mostWorkers: Workers that can read at the same time.
  package init?(_ readings: [(seconds: Double, worker: String)], mostWorkers: Int) {
    guard !readings.isEmpty else { return nil }
    let seconds = readings.reduce(0) { $0 + min(max(0, $1.seconds), Self.longest) }
    self.init(
      secondsPerReading: seconds / Double(readings.count), workers: min(Set(readings.map(\.worker)).count, mostWorkers))
  }
}

/// Averages the latest readings.
package final class ThroughputMeter: Sendable {
  /// Number of readings averaged: enough to even out single photos, few enough to follow a change of load.
  package static let most = 64

  private let readings = Locked<[(seconds: Double, worker: String)]>([])

  /// Creates a meter without readings.
  package init() {}

  /// Records a reading that took `seconds`.
  package func record(seconds: Double, worker: String) {
    readings.withLock { readings in
      readings.append((seconds, worker))
      readings = Array(readings.suffix(Self.most))
    }
  }

  /// The current throughput; nil before the first reading.
  package var throughput: Throughput? {
    readings.withLock { Throughput($0, mostWorkers: ProcessInfo.processInfo.activeProcessorCount) }
  }
}

import Foundation
import Support

/// What the latest readings took, from which a wait is told.
public struct Throughput: Sendable, Equatable {
  /// Seconds of wall time one reading took, on average over the latest.
  public var secondsPerReading: Double
  /// Workers that did them, as far as there are cores: readings keep a core busy.
  public var workers: Int

  /// Creates figures.
  public init(secondsPerReading: Double, workers: Int) {
    self.secondsPerReading = secondsPerReading
    self.workers = workers
  }

  /// Seconds until the job at `position` (1 for the next) has been read.
  public func wait(position: Int) -> TimeInterval {
    let rounds = (Double(max(position, 1)) / Double(max(workers, 1))).rounded(.up)
    return rounds * secondsPerReading
  }
}

extension Throughput {
  /// Seconds: no reading takes longer than a day, whatever the times stored with it say.
  private static let longest = 86_400.0

  /// The average over the latest readings; nil without any.
  ///
  /// - Parameter mostWorkers: Workers that can read at the same time.
  package init?(_ readings: [(seconds: Double, worker: String)], mostWorkers: Int) {
    guard !readings.isEmpty else { return nil }
    let seconds = readings.reduce(0) { $0 + min(max(0, $1.seconds), Self.longest) }
    self.init(
      secondsPerReading: seconds / Double(readings.count), workers: min(Set(readings.map(\.worker)).count, mostWorkers))
  }
}

/// The latest readings.
package final class ThroughputMeter: Sendable {
  /// Enough to even out single photos, few enough to follow a change of load.
  package static let most = 64

  private let readings = Locked<[(seconds: Double, worker: String)]>([])

  /// Begins without readings.
  package init() {}

  /// Counts a reading of so many seconds.
  package func record(seconds: Double, worker: String) {
    readings.withLock { readings in
      readings.append((seconds, worker))
      readings = Array(readings.suffix(Self.most))
    }
  }

  /// Nil before the first reading.
  package var throughput: Throughput? {
    readings.withLock { Throughput($0, mostWorkers: ProcessInfo.processInfo.activeProcessorCount) }
  }
}

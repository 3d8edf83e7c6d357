import ChildProcess
import Foundation
import JobRunner
import JobStore
import Logging
import PostgresStore
import ScanModel

/// Several machines in one process: each opens the store with its own heartbeats, listener and workers, whose readers sleep.
struct SleepingFleet {
  let address: String
  /// Duration of a reading in seconds.
  let reading: Double

  /// Works until the input ends, then prints how often a worker was woken for a photo that another one claimed.
  func run(machines: Int, workers: Int) async throws {
    let logger = Logger(label: "load", factory: { _ in SwiftLogNoOpLogHandler() })
    var stores: [PostgresStore] = []
    var runners: [Task<Void, Never>] = []
    for _ in 0..<machines {
      var options = PostgresStore.Options(isServer: true, connections: max(1, min(4, workers)))
      options.workers = workers
      let store = try PostgresStore(address: address, options: options)
      let runner = JobRunner(
        store: store, photos: StoredPhotos(store.blobs, largestPhoto: .max), configuration: configuration(workers),
        logger: logger
      ) { _ in SleepingReader(seconds: reading) }
      stores.append(store)
      runners.append(Task { await runner.run() })
    }
    print("ready")
    fflush(nil)
    await Task.detached { while readLine() != nil {} }.value
    print("{\"vain\": \(stores.reduce(0) { $0 + $1.changes.spuriousWakeups })}")
    fflush(nil)
    exit(0)
  }

  private func configuration(_ workers: Int) -> RunnerConfiguration {
    RunnerConfiguration(
      workers: workers, lease: 30, maxAttempts: 3, retryDelay: 5,
      request: ReadRequest(timeBudget: 10, limits: PictureLimits(maxPixels: .max)), readDeadline: .seconds(60))
  }
}

/// Sleeps for the duration of a reading and finds no serial.
private struct SleepingReader: PhotoReader {
  let seconds: Double

  var status: ChildStatus {
    var status = ChildStatus()
    status.state = .ready
    return status
  }

  func read(
    _ photo: [UInt8], _ request: ReadRequest, deadline: Duration,
    progress: @escaping @Sendable (ReadProgress) -> Void
  ) async throws -> ReadAnswer {
    try await Task.sleep(for: .seconds(seconds))
    return ReadAnswer(.nothing)
  }

  func stop() async {}
}

extension Reading {
  /// A reading of a photo without a serial.
  static let nothing = Reading(
    verdict: .refused, serials: [], preset: .etched, presetWasDetected: false, strategyUsed: "text",
    fallbackUsed: false, trace: [], notes: [], photoSize: PixelSize(width: 640, height: 480), processingTime: 0,
    cpuTime: 0)
}

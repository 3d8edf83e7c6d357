import ChildProcess
import Foundation
import JobRunner
import JobStore
import Logging
import ScanModel
import StoreConformance
import Testing

/// Jobs with real reader processes: photos that kill their reader fail alone, all others are read.
@Suite struct RealReaderTests {
  @Test func poisonedPhotosDoNotAffectOthers() async throws {
    let store = InMemoryJobStore()
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let makeReader = { (_: Int) in
      var configuration = ChildConfiguration.reader(
        arguments: [""], addressSpaceLimit: 3 << 30, photosPerProcess: 1_000)
      configuration.executable =
        URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("FaultyReader").path
      configuration.residentLimit = 200 << 20
      configuration.firstStartPause = .milliseconds(20)
      let settings = ReaderSettings(parameters: [:], accept: 0.9, refuse: 0.1)
      return try ReaderProcess(settings: settings, configuration: configuration, logger: logger)
    }
    let poison: [String: ErrorCode] = [
      "crash": .readerCrashed, "exit": .readerCrashed, "flood": .readerCrashed, "hang": .readerTimedOut,
      "eat": .readerOutOfMemory, "not-a-picture": .unsupportedImage,
    ]
    try await withRunner(
      store: store, workers: 2, change: { $0.readDeadline = .seconds(4) }, readers: makeReader
    ) { _ in
      var expected: [String: ErrorCode?] = [:]
      for (name, code) in poison {
        for _ in 0..<3 { expected[try await store.add("good")] = .some(nil) }
        expected[try await store.add(name)] = code
      }
      for (id, code) in expected {
        let job = try #require(try await store.waitForEnd(id: id, timeout: .seconds(60)))
        #expect(job.state == (code == nil ? .completed : .failed))
        #expect(job.error?.code == code)
        #expect(job.attempts == (code == nil || code == .unsupportedImage ? 1 : 2))
      }
    }
    #expect(store.savedSerials.count == poison.count * 3)
  }
}

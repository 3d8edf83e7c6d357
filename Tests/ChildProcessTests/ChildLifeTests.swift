import ChildProcess
import Dispatch
import Foundation
import ScanModel
import Support
import Testing

/// How readers end, their limits, and that they leave nothing behind.
@Suite(.serialized) struct ChildLifeTests {
  /// The failure of a photo whose reader has this fault.
  private func failure(of deed: String, _ reader: ReaderProcess) async throws -> ReadFailure {
    try #require(await #expect(throws: ReadFailure.self) { try await reader.read(deed) })
  }

  @Test(arguments: [("crash", 11), ("abort", 6), ("trap", 4)])
  func crashReportsItsSignal(deed: String, signal: Int) async throws {
    let reader = try FaultyReaders.make()
    let detail = try await failure(of: deed, reader).detail
    #expect(detail.contains("signal \(signal)") || deed == "trap" && detail.contains("signal 5"), "\(detail)")
    await reader.stop()
  }

  @Test func kernelLimitsProcessorTime() async throws {
    let reader = try FaultyReaders.make {
      $0.processorLimit = 1
      $0.niceness = 0
    }
    let failure = try await failure(of: "spin", reader)
    #expect(failure.code == .readerTimedOut && failure.isFinal)
    #expect(try await reader.read("good").topSerial != nil)
    await reader.stop()
  }

  @Test func replacesReaderAtHalfItsProcessorTime() async throws {
    let reader = try FaultyReaders.make { $0.processorLimit = 2 }
    _ = try await reader.read("burn_100")
    #expect(reader.status.recycles == 0)
    _ = try await reader.read("burn_1100")
    #expect(reader.status.recycles == 1 && reader.status.crashes == 0)
    await reader.stop()
  }

  @Test func replacesReaderThatUsesProcessorTimeWhileIdle() async throws {
    let reader = try FaultyReaders.make { $0.niceness = 0 }
    #expect(try await reader.read("moonlight").topSerial != nil)
    #expect(try await eventually { reader.status.crashes == 1 && reader.status.starts == 2 })
    await reader.stop()
  }

  @Test func readerReceivesSettingsAtStart() async throws {
    let reader = try FaultyReaders.make(start: "tells-settings", fields: .all)
    let detail = try await failure(of: "good", reader).detail
    #expect(detail == "0.9 0.1 all")
    await reader.stop()
  }

  @Test func forgetsReadCancelledAfterItsAnswer() async throws {
    let reader = try FaultyReaders.make()
    let executor = HoldingExecutor()
    let reading = Task(executorPreference: executor) { try await reader.read("good") }
    #expect(try await eventually { executor.holds })
    reading.cancel()
    executor.release()
    #expect(try await reading.value.topSerial != nil)
    #expect(reader.openCancellations == 0)
    await reader.stop()
  }

  @Test func hundredCrashesLeakNothing() async throws {
    let reader = try FaultyReaders.make { $0.firstStartPause = .milliseconds(1) }
    _ = try await reader.read("good")
    let before = Self.held()
    for number in 0..<100 {
      let deed = ["crash", "exit", "close", "say_exit_\(number)", "abort"][number % 5]
      #expect(await reader.failure(of: deed) == .readerCrashed)
    }
    #expect(try await reader.read("good").topSerial != nil)
    #expect(reader.status.starts == 101 && reader.status.crashes == 100)
    #expect(Self.held() == before)
    await reader.stop()
    #expect(Self.held().children == before.children - 1)
  }

  private struct Held: Equatable {
    var descriptors: Int
    var children: Int
  }

  /// Descriptors open in this process and children of it, zombies included.
  private static func held() -> Held {
    let files = FileManager.default
    let threads = (try? files.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    let children = threads.reduce(0) { count, thread in
      let text = (try? String(contentsOfFile: "/proc/self/task/\(thread)/children", encoding: .utf8)) ?? ""
      return count + text.split(separator: " ").count
    }
    return Held(
      descriptors: (try? files.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0, children: children)
  }
}

/// Begins a task, and holds its continuation until `release`.
private final class HoldingExecutor: TaskExecutor {
  private struct State {
    var hasBegun = false
    var isReleased = false
    var held: [UnownedJob] = []
  }

  private let state = Locked(State())
  private let queue = DispatchQueue(label: "test.holding")

  var holds: Bool { state.withLock { !$0.held.isEmpty } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let mayRun = state.withLock { state in
      defer { state.hasBegun = true }
      if !state.hasBegun || state.isReleased { return true }
      state.held.append(job)
      return false
    }
    if mayRun { run(job) }
  }

  func release() {
    let held = state.withLock { state in
      state.isReleased = true
      return state.held
    }
    held.forEach(run)
  }

  private func run(_ job: UnownedJob) {
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

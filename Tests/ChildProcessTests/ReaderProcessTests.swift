import CChildProcess
import ChildProcess
import Foundation
import ScanModel
import Support
import Testing

/// The server's side of a reader that crashes, hangs, lies or exhausts memory. After every failure a new process must read
/// the next photo.
@Suite(.serialized) struct ReaderProcessTests {
  @Test func readsAndReportsProgressInOrder() async throws {
    let reader = try FaultyReaders.make()
    let seen = Locked<[Double]>([])
    let reading = try await reader.read("good") { step in
      seen.withLock { $0.append(step.fraction) }
    }
    #expect(reading.topSerial?.serial == "C02G414GMD6N")
    #expect(seen.withLock { $0 } == [0.25, 0.5, 0.75])
    #expect(reader.status.answers == 1)
    await reader.stop()
  }

  @Test(arguments: [0, 1, 70_000, 3 << 20]) func readerReceivesPhotoUnchanged(size: Int) async throws {
    let reader = try FaultyReaders.make()
    let deed = "echo_" + String(repeating: "x", count: size)
    #expect(try await reader.answer(to: deed, wantsAnnotation: true).annotation?.dropFirst(8) == Array(deed.utf8)[...])
    #expect(try await reader.answer(to: "good").annotation == nil)
    #expect(reader.status.starts == 1)
    await reader.stop()
  }

  @Test func oneProcessReadsManyPhotos() async throws {
    let reader = try FaultyReaders.make()
    for _ in 0..<50 { _ = try await reader.read("good") }
    #expect(reader.status.starts == 1)
    await reader.stop()
    #expect(reader.status.state == .stopped)
  }

  @Test(arguments: [
    ("crash", ReadFailure.Code.readerCrashed), ("trap", .readerCrashed), ("exit", .readerCrashed),
    ("close", .readerCrashed), ("oom", .outOfMemory), ("flood", .readerCrashed),
  ])
  func failedReaderFailsOnlyItsPhoto(fault: String, code: ReadFailure.Code) async throws {
    let reader = try FaultyReaders.make()
    _ = try await reader.read("good")
    let before = reader.status.processID
    #expect(await reader.failure(of: fault) == code)
    #expect(!isRunning(before))
    #expect(try await reader.read("good").topSerial != nil)
    #expect(reader.status.starts == 2)
    await reader.stop()
  }

  /// A reader that used the processor until the deadline is final; one that slept is retried.
  @Test(arguments: [("hang", false), ("spin", true)])
  func killsHangingReaderAtDeadline(fault: String, isFinal: Bool) async throws {
    let reader = try FaultyReaders.make(conclusiveShare: 0.02) { $0.niceness = 0 }
    _ = try await reader.read("good")
    let before = reader.status.processID
    let failure = await #expect(throws: ReadFailure.self) {
      try await reader.read(fault, deadline: .milliseconds(1000))
    }
    #expect(failure?.code == .readerTimedOut && failure?.isFinal == isFinal, "\(String(describing: failure))")
    #expect(!isRunning(before))
    #expect(reader.status.timeouts == 1)
    #expect(try await reader.read("good").topSerial != nil)
    await reader.stop()
  }

  @Test func killsStoppedReaderAtDeadline() async throws {
    let reader = try FaultyReaders.make()
    _ = try await reader.read("good")
    let suspended = try #require(reader.status.processID)
    kill(suspended, SIGSTOP)
    #expect(await reader.failure(of: "good", deadline: .milliseconds(300)) == .readerTimedOut)
    #expect(!isRunning(suspended))
    #expect(try await reader.read("good").topSerial != nil)
    await reader.stop()
  }

  @Test func killsReaderOverMemoryLimit() async throws {
    let reader = try FaultyReaders.make { $0.residentLimit = 200 << 20 }
    #expect(await reader.failure(of: "eat") == .outOfMemory)
    #expect(reader.status.memoryKills == 1)
    #expect(try await reader.read("good").topSerial != nil)
    await reader.stop()
  }

  @Test(.enabled(if: child_limits_address_space(), "skipped: a sanitizer needs the address space"))
  func limitsAddressSpace() async throws {
    let reader = try FaultyReaders.make { $0.addressSpaceLimit = 1 << 30 }
    do {
      _ = try await reader.read("reserve")
      Issue.record("read")
    } catch let failure as ReadFailure {
      let megabytes = try #require(Int(failure.detail))
      #expect(megabytes > 100 && megabytes < 1024)
    }
    await reader.stop()
  }

  @Test(arguments: ["garbage", "chatter"])
  func libraryOutputDoesNotCorruptAnswers(fault: String) async throws {
    let reader = try FaultyReaders.make()
    #expect(try await reader.read(fault).topSerial != nil)
    #expect(reader.status.starts == 1)
    await reader.stop()
  }

  @Test func photoFailureKeepsReader() async throws {
    let reader = try FaultyReaders.make()
    #expect(await reader.failure(of: "not-a-picture") == .notAPicture)
    #expect(await reader.failure(of: "nan") == .readerCrashed)
    #expect(reader.status.starts == 1)
    await reader.stop()
  }

  @Test func cancellingKillsTheReadAndTheNextOneIsServed() async throws {
    let reader = try FaultyReaders.make()
    _ = try await reader.read("good")
    let before = reader.status.processID
    let hanging = Task { try await reader.read("hang") }
    #expect(try await eventually { reader.status.state == .working })
    hanging.cancel()
    await #expect(throws: CancellationError.self) { try await hanging.value }
    #expect(!isRunning(before))
    #expect(try await reader.read("good").topSerial != nil)
    await reader.stop()
  }

  @Test func cancellingWaitingReadKeepsRunningRead() async throws {
    let reader = try FaultyReaders.make()
    let first = Task { try await reader.read("slow_300") }
    #expect(try await eventually { reader.status.state == .working })
    let second = Task { try await reader.read("good") }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(try await first.value.topSerial != nil)
    #expect(reader.status.starts == 1)
    await reader.stop()
  }

  @Test func stoppingEndsRunningReadAndProcess() async throws {
    let reader = try FaultyReaders.make()
    let hanging = Task { try await reader.read("hang") }
    #expect(try await eventually { reader.status.state == .working })
    let process = reader.status.processID
    await reader.stop()
    await #expect(throws: CancellationError.self) { try await hanging.value }
    #expect(!isRunning(process))
    await #expect(throws: CancellationError.self) { try await reader.read("good") }
    await reader.stop()
  }

  @Test(arguments: [
    ("exits-at-start", "ended while it started"), ("has-no-model", "The model is missing."),
    ("never-ready", "was not ready after"), ("speaks-unasked", ""),
  ])
  func readerThatCannotStartReportsReason(start: String, part: String) async throws {
    let reader = try FaultyReaders.make(start: start) { $0.startDeadline = .seconds(3) }
    do {
      _ = try await reader.read("good")
      Issue.record("read")
    } catch let failure as ReadFailure {
      #expect(failure.code == .readerUnavailable)
      #expect(part.isEmpty || failure.detail.contains(part), "\(failure.detail)")
      #expect(reader.status.state != .ready)
    }
    await reader.stop()
  }

  @Test func systemErrorOfReaderIsNamedPlainly() async throws {
    let reader = try FaultyReaders.make()
    let failure = await #expect(throws: ReadFailure.self) { try await reader.read("full-disk") }
    #expect(
      failure?.detail == "The reader failed: there is too little free space on the disk. Free some space.",
      "\(String(describing: failure))")
    await reader.stop()
  }

  @Test func missingProgramIsUnavailable() async throws {
    let reader = try FaultyReaders.make { $0.executable = "/nowhere/reader" }
    #expect(await reader.failure(of: "good") == .readerUnavailable)
    #expect(reader.status.problem == "The reader can't be started: No such file or directory.")
    await reader.stop()
  }

  @Test func restartsAfterDeathWhileIdle() async throws {
    let reader = try FaultyReaders.make()
    _ = try await reader.read("good")
    let before = try #require(reader.status.processID)
    kill(before, SIGKILL)
    #expect(try await eventually { reader.status.state == .ready && reader.status.starts == 2 })
    #expect(try await reader.read("good").topSerial != nil)
    #expect(reader.status.crashes == 1)
    await reader.stop()
  }

  @Test func replacesReaderAfterManyPhotos() async throws {
    let reader = try FaultyReaders.make { $0.answersPerProcess = 3 }
    for _ in 0..<7 { _ = try await reader.read("good") }
    #expect(reader.status.recycles == 2)
    #expect(reader.status.crashes == 0)
    await reader.stop()
  }

  @Test func readerHasNoUnneededRights() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let database = folder.appendingPathComponent("serialscan.sqlite")
    try Data([2]).write(to: database)
    let reader = try FaultyReaders.make()
    let failure = await #expect(throws: ReadFailure.self) { try await reader.read("probe_\(getpid()):\(folder.path)") }
    #expect(failure?.detail == "t")
    #expect(try Data(contentsOf: database) == Data([2]))
    await reader.stop()
  }
}

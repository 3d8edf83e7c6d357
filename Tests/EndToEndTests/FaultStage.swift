import Foundation
import Support
import Testing

/// A data folder with a server that is killed, and the server that continues.
final class FaultStage: @unchecked Sendable {
  private let fault: FaultCase
  private let photo: Data
  /// Jobs whose upload was accepted.
  private(set) var accepted: Set<String> = []
  /// The job that is deleted, cancelled or expired.
  private var doomed: String?
  /// Jobs that must be stored.
  var promised: Set<String> { accepted.subtracting([doomed ?? ""]) }
  let data: URL
  private var server: RunningServer?
  private var lastWords = ""

  /// The faulty server's log.
  var log: String { server?.logText ?? lastWords }

  /// Prepares the folder and starts the faulty server, which may have died when this returns.
  init(_ fault: FaultCase) async throws {
    self.fault = fault
    let provocation = fault.point.provocation
    photo = try await Self.photo(for: provocation)
    data = RunningServer.freshFolder()
    switch provocation {
    case .startAfterDeath, .startAfterManyDeaths:
      accepted = try await DeadFolders.shared.withHeldJob(copiedTo: data)
      if provocation == .startAfterManyDeaths {
        _ = try TestStore.ask(data, "UPDATE jobs SET abandonments = 19 WHERE state = 'processing'")
        doomed = try TestStore.ask(data, "SELECT id FROM jobs WHERE state = 'processing'")
      }
    case .startAfter(let days):
      accepted = try await DeadFolders.shared.withEndedJobs(copiedTo: data)
      let old = try #require(accepted.min())
      let ended = Int((Date().timeIntervalSince1970 - Double(days) * 86_400) * 1_000_000)
      _ = try TestStore.ask(data, "UPDATE jobs SET ended_at = \(ended) WHERE id = '\(old)'")
      doomed = old
    default: break
    }
    start(provocation)
  }

  private static func photo(for provocation: FaultPoint.Provocation) async throws -> Data {
    switch provocation {
    case .readingNothing: try FaultPhotos.withoutSerial()
    case .readingDamage: try FaultPhotos.damaged()
    default: try FaultPhotos.labelled()
    }
  }

  /// Settings that blame the photo neither for these deaths nor for a slow machine.
  private static let settings = ["workers=1", "queue.backoff=0.1", "queue.max_attempts=100", "reader.deadline=120"]

  /// Whether PostgreSQL keeps the photos.
  private var photosAreRows: Bool { TestStore.isShared && !fault.point.isOfAFile }

  private var settings: [String] {
    Self.settings + (TestStore.isShared && fault.point.isOfAFile ? ["store.photos=\(data.path)"] : [])
  }

  /// Seconds of a lease that a suspended server outlasts. With PostgreSQL a server without a heartbeat for three seconds
  /// rescues no jobs for a while, including its own.
  private static let lateLease = TestStore.isShared ? 1.0 : 4.0

  private func start(_ provocation: FaultPoint.Provocation) {
    var settings = settings
    var faults = ["\(fault.point.rawValue):\(provocation == .secondUpload ? 2 : 1):\(fault.victim.rawValue)"]
    switch provocation {
    case .readerDies: faults.append("photoHanded:1:reader")
    case .readerHangs:
      faults.append("photoHanded:1:suspend")
      settings.append("queue.lease=1")
    case .stop:
      faults.append("photoHanded:1:suspend")
      settings.append("server.stop_timeout=0")
    case .hangUp: faults.append("photoHanded:1:suspend")
    case .lateServer:
      // The reader hangs, so that the late server can't end the job before it notices the expired lease.
      faults += ["claimed:1:stop", "photoHanded:1:suspend"]
      settings.append("queue.lease=\(Self.lateLease)")
    default: break
    }
    do {
      server = try RunningServer(
        data: data, settings: settings, environment: ["SERIALSCAN_FAULT": faults.joined(separator: ",")],
        program: RunningServer.faultyExecutable)
    } catch let error as ServerDidNotStart {
      // A point at the start may come before the server listens.
      lastWords = error.log
    } catch {
      lastWords = "\(error)"
    }
  }

  // MARK: Reaching the point

  /// Does the action that brings the server to the point.
  func reachPoint() async throws {
    guard let server else { return }
    switch fault.point.provocation {
    case .readingNothing: await upload(to: server)
    case .secondUpload, .reading, .readingDamage, .readerDies, .readerHangs:
      await upload(to: server)
      await upload(to: server)
    case .stop:
      await upload(to: server)
      #expect(await hasFired(.photoHanded, "suspend"), "\(fault)")
      server.send(SIGTERM)
    case .lateServer:
      // A server that has just started rescues no jobs yet either.
      if TestStore.isShared { try await Task.sleep(for: .seconds(4)) }
      async let answered: Void = upload(to: server)
      #expect(await hasFired(.claimed, "stop"), "\(fault)")
      try await Task.sleep(for: .seconds(Self.lateLease + 0.3))
      server.send(SIGCONT)
      await answered
    case .hangUp: try await hangUp(on: server)
    case .delete: try await delete(on: server)
    case .startAfterDeath, .startAfterManyDeaths, .startAfter: break
    }
  }

  private func upload(to server: RunningServer) async {
    // Only an accepted upload must survive.
    guard let reply = try? await server.upload(photo), reply.status == 200 else { return }
    if let id = reply.json["job_id"] as? String { accepted.insert(id) }
  }

  private func hangUp(on server: RunningServer) async throws {
    await upload(to: server)
    #expect(await hasFired(.photoHanded, "suspend"), "\(fault)")
    let connection = try RawConnection(server)
    let form =
      Data("--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.jpg\"\r\n\r\n".utf8) + photo
      + Data("\r\n--b--\r\n".utf8)
    connection.send(
      "POST /process-serial HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        + "Content-Length: \(form.count)\r\n\r\n")
    connection.send(form)
    let waits = try await CrashTests.eventually {
      try TestStore.ask(self.data, "SELECT count(*) FROM jobs WHERE state = 'queued'") == "1"
    }
    #expect(waits, "\(fault)")
    withExtendedLifetime(connection) {}
  }

  private func delete(on server: RunningServer) async throws {
    await upload(to: server)
    let id = try #require(accepted.first)
    _ = try await server.get("/result/\(id)?wait=60")
    await upload(to: server)
    doomed = id
    _ = try? await server.request("DELETE", "/jobs/\(id)", body: nil)
  }

  /// Waits until the server has logged a fault: up to two minutes, for busy machines.
  func hasFired(_ point: FaultPoint, _ deed: String) async -> Bool {
    let line = "fault: \(point.rawValue) \(deed)\n"
    for _ in 0..<6 {
      if let hasFired = try? await CrashTests.eventually({ self.log.contains(line) }), hasFired { return true }
    }
    return false
  }

  // MARK: Continuing

  func expectKilled() async {
    guard let process = server?.process else { return }
    let isGone = (try? await CrashTests.eventually { !process.isRunning }) ?? false
    #expect(isGone, "\(fault)")
    guard isGone else { return }
    #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL, "\(fault)")
  }

  /// Starts the released program in the folder of the killed one; returns the time of its start.
  func continueWork() async throws -> Date {
    let start = Date()
    guard fault.victim != .reader else { return start }
    // Photos of interrupted uploads are deleted after retention.photos.
    for photo in files(below: "photos") + files(below: "incoming") {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -31 * 86_400)], ofItemAtPath: photo.path)
    }
    server = try RunningServer(data: data, settings: settings)
    return start
  }

  private func files(below name: String) -> [URL] {
    let all = FileManager.default.enumerator(
      at: data.appendingPathComponent(name), includingPropertiesForKeys: [.isRegularFileKey])
    return (all?.allObjects as? [URL] ?? []).filter {
      (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
    }
  }

  /// The names of the stored photos.
  private func photos() throws -> Set<String> {
    guard photosAreRows else { return Set(files(below: "photos").map(\.lastPathComponent)) }
    return try DatabaseCopy.lines(data, "SELECT name FROM blobs WHERE kind = 'photo'")
  }

  // MARK: Checks

  /// Expects that every stored job ends with the right result for its photo.
  func expectEnds(of jobs: Set<String>) async throws {
    let server = try #require(server)
    if fault.point.provocation == .startAfter(days: 91), let doomed {
      // Expired data is deleted while the server runs.
      #expect(try await CrashTests.eventually { try await server.get("/result/\(doomed)").status == 404 }, "\(fault)")
    }
    for id in jobs.union(accepted) {
      let reply = try await server.get("/result/\(id)?wait=60")
      let state = reply.status == 404 ? "gone" : reply.json["status"] as? String ?? ""
      #expect(allowed(for: id).contains(state), "\(fault): \(reply.json)")
      guard state == "completed" else { continue }
      let results = reply.json["results"] as? [String: Any]
      #expect((results?["top_result"] as? [String: Any])?["serial"] as? String == FaultPhotos.serial, "\(fault)")
      #expect(results?["saved_to_database"] as? Bool == true, "\(fault)")
    }
  }

  private func allowed(for id: String) -> Set<String> {
    switch fault.point.provocation {
    case .readingNothing, .readingDamage: ["failed"]
    case .startAfterManyDeaths where id == doomed: ["failed"]
    case .hangUp where !accepted.contains(id): ["failed", "completed"]
    case .delete where id == doomed: fault.point == .deleting ? ["completed"] : ["gone"]
    case .startAfter(days: 91) where id == doomed: ["gone"]
    default: ["completed"]
    }
  }

  /// Expects that ended jobs are unchanged, and that each job saved its serial once.
  func expectOnce(since left: DatabaseCopy) throws {
    let gone = fault.point.provocation == .startAfter(days: 91) ? doomed : nil
    let changed = left.ends.subtracting(try DatabaseCopy.ends(in: data))
    #expect(changed.allSatisfy { line in gone.map { line.hasPrefix($0) } ?? false }, "\(fault): \(changed)")
    let wrong = try TestStore.ask(
      data,
      "SELECT id FROM jobs WHERE CASE WHEN saved THEN 1 ELSE 0 END <> (SELECT count(*) FROM serials WHERE job_id IN (jobs.id, jobs.duplicate_of))"
    )
    #expect(wrong.isEmpty, "\(fault)")
    #expect(try TestStore.isSound(data), "\(fault)")
  }

  /// Expects that the first job continued within five seconds of the start, unless the machine is busy otherwise.
  /// With PostgreSQL a server counts as dead after five seconds without a heartbeat.
  func expectResumed(since start: Date) throws {
    let began = Int(start.timeIntervalSince1970 * 1_000_000)
    let text = try TestStore.ask(data, "SELECT min(started_at) - \(began) FROM jobs WHERE started_at >= \(began)")
    // A job that failed at the start does not begin again.
    guard let microseconds = Double(text), !Self.machineIsBusy else { return }
    #expect(microseconds < (TestStore.isShared ? 10_000_000 : 5_000_000), "\(fault)")
  }

  /// Whether more than two processes per core are runnable, so that the server starts late.
  private static var machineIsBusy: Bool {
    var load = 0.0
    return getloadavg(&load, 1) == 1 && load > 2 * Double(ProcessInfo.processInfo.activeProcessorCount)
  }

  /// A query for overdue deletions. PostgreSQL keeps the bytes of a deleted photo for a minute, for its readers.
  private var removalsThatAreDue: String {
    photosAreRows
      ? "SELECT blob FROM blob_parts WHERE blob NOT IN (SELECT blob FROM blobs UNION SELECT blob FROM blob_part_removals)"
      : "SELECT name FROM blob_removals"
  }

  /// Expects that nothing of interrupted uploads is left, every photo has its job, and every job its photo until it is pruned.
  func expectTidy() async throws {
    let incoming = try FileManager.default.contentsOfDirectory(atPath: data.appendingPathComponent("incoming").path)
    #expect(incoming.isEmpty, "\(fault)")
    let isTidy = try await CrashTests.eventually {
      let kept = try DatabaseCopy.lines(self.data, "SELECT photo FROM jobs WHERE NOT photo_pruned")
      let left = try DatabaseCopy.lines(self.data, self.removalsThatAreDue)
      return try left.isEmpty && self.photos() == kept
    }
    let left = try photos()
    #expect(isTidy, "\(fault): \(left)")
  }
}

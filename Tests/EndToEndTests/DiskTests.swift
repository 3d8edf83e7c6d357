import Foundation
import Testing

/// A disk that is full or can't be written, with the real executable on a small file system of its own. Skipped where
/// this user can't mount one.
@Suite(.serialized) struct DiskTests {
  /// A small file system that is gone with the value.
  final class SmallDisk {
    let folder: URL

    init?(megabytes: Int) {
      folder = RunningServer.freshFolder()
      guard (try? Self.run("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", folder.path])) == 0 else {
        return nil
      }
    }

    deinit { _ = try? Self.run("umount", ["-l", folder.path]) }

    func remount(_ option: String) -> Bool {
      (try? Self.run("mount", ["-o", "remount,\(option)", folder.path])) == 0
    }

    static func run(_ program: String, _ arguments: [String]) throws -> Int32 {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = [program] + arguments
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus
    }

    static let canMount: Bool = SmallDisk(megabytes: 1) != nil
  }

  private static func photos(below folder: URL) -> Int {
    ["photos", "incoming"].reduce(0) { count, name in
      let all = FileManager.default.enumerator(
        at: folder.appendingPathComponent("data/\(name)"), includingPropertiesForKeys: [.isRegularFileKey])
      return count
        + (all?.allObjects as? [URL] ?? []).count {
          (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
        }
    }
  }

  @Test(.enabled(if: SmallDisk.canMount, "skipped: no right to mount a file system"))
  func aFullDiskRefusesAndRecoversWithoutARestart() async throws {
    let disk = try #require(SmallDisk(megabytes: 24))
    let server = try RunningServer(data: disk.folder.appendingPathComponent("data"))
    let picture = try BadInputTests.picture()
    let before = try await server.scan(picture)
    #expect(before.json["status"] as? String == "completed")

    let filler = disk.folder.appendingPathComponent("filler")
    _ = try DiskTests.SmallDisk.run("dd", ["if=/dev/zero", "of=\(filler.path)", "bs=4096", "status=none"])
    let stored = Self.photos(below: disk.folder)
    for _ in 0..<5 {
      let reply = try await server.upload(picture)
      #expect([503, 507].contains(reply.status))
      #expect(reply.errorCode?.isEmpty == false)
      #expect(reply.json["status_code"] as? Int == reply.status)
    }
    #expect(Self.photos(below: disk.folder) == stored)
    // What was read before still answers.
    let id = try #require(before.json["job_id"] as? String)
    #expect(try await server.get("/result/\(id)").json["status"] as? String == "completed")

    try FileManager.default.removeItem(at: filler)
    #expect(try await CrashTests.eventually { try await server.upload(picture).status == 200 })
    #expect(try await server.scan(picture).json["status"] as? String == "completed")
    #expect(server.process.isRunning)
  }

  @Test(.enabled(if: SmallDisk.canMount, "skipped: no right to mount a file system"))
  func aFolderThatCannotBeWrittenStopsTheStartWithASentence() throws {
    let disk = try #require(SmallDisk(megabytes: 4))
    try #require(disk.remount("ro"))
    let data = disk.folder.appendingPathComponent("data").path
    let run = try RunningServer.run(["serve", "--host", "127.0.0.1", "--port", "0", "--data", data])
    #expect(run.status != 0)
    #expect(run.errors.contains(data), "\(run.errors)")
  }
}

import Foundation
import SerialScanClient
import Testing

@testable import SerialScanClient

/// Photos are sent by a process that is killed at its steps, through a faulty proxy, to a real server: each photo becomes
/// one job. SERIALSCAN_TORTURE_ROUNDS sets the number of rounds (`Tools/torture.sh`).
@Suite struct TortureTests {
  static let photosARound = 3

  @Test func eachPhotoBecomesOneJob() async throws {
    let rounds = ProcessInfo.processInfo.environment["SERIALSCAN_TORTURE_ROUNDS"].flatMap(Int.init) ?? 12
    let server = try RunningServer(workers: 0)
    var table = Table()
    var crashes = 0
    for round in 0..<rounds {
      // Covers every step, and with it every kind of fault.
      let step = OutboxStep.allCases[round % OutboxStep.allCases.count]
      let kind = (round / OutboxStep.allCases.count + round) % 7
      let faults = Locked(0)
      let proxy = try FaultyProxy(server: server.port) {
        // Two of three connections have a fault, so that a round ends.
        let number = faults.with { count in
          count += 1
          return count
        }
        return number % 3 == 0 ? .none : Self.fault(kind)
      }
      let folder = try temporaryFolder()
      defer { try? FileManager.default.removeItem(at: folder) }
      let photos = (0..<Self.photosARound).map {
        RunningServer.picture(["etched_clean_1", "etched_clean_2", "no_serial_1"][$0])
      }
      var kills = 0
      var isDone = false
      for attempt in 0..<40 where !isDone {
        // Killed first at the step, then at a random time, then not at all.
        let (status, output) = try await run(
          builtProgram("OutboxSender"),
          [proxy.address.absoluteString, folder.path, "round\(round)"] + photos.map(\.path),
          environment: [
            "OUTBOX_KILL": attempt == 0 ? "\(step.rawValue):\(Int.random(in: 1...Self.photosARound))" : "",
            // A crash ends the process immediately, and fails the test.
            "SWIFT_BACKTRACE": "enable=no",
          ],
          killAfter: (1...2).contains(attempt) ? Int.random(in: 5...400) : nil)
        if status != 0 { kills += 1 }
        // On Linux, FoundationNetworking ends the process if a response is cut within its head: one more kill.
        let isFoundations = output.contains("Transfer completed, but there's no response")
        if isFoundations { crashes += 1 }
        let isExpected = status == 0 || status == SIGKILL || isFoundations
        #expect(isExpected, "\(output)")
        guard isExpected else { break }
        isDone = output.contains("done")
      }
      #expect(isDone, "round \(round) did not end")
      table.add(step: step, kills: kills, faults: proxy.connections)
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "lock" }
      #expect(left.isEmpty, "\(left)")
    }
    let names = try await Self.filenames(server)
    let expected = (0..<rounds).flatMap { round in (0..<Self.photosARound).map { "round\(round)-\($0).jpg" } }
    let lost = Set(expected).subtracting(names)
    let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    let twice = counts.filter { $0.value > 1 }
    print("Ended by FoundationNetworking on a cut head: \(crashes).")
    print(table.text(rounds: rounds, photos: expected.count, jobs: names.count, lost: lost.count, twice: twice.count))
    #expect(lost.isEmpty)
    #expect(twice.isEmpty)
    #expect(names.count == expected.count)
  }

  /// A fault of a kind at any byte: pictures have 20 to 100 KB, heads and responses less than 1 KB.
  static func fault(_ kind: Int) -> FaultyProxy.Fault {
    let offset = Bool.random() ? Int.random(in: 0...1200) : Int.random(in: 0...120_000)
    switch kind {
    case 0: return .refuse
    case 1: return .delay(at: offset, milliseconds: Int.random(in: 1...300))
    case 2: return .cutRequest(at: offset)
    case 3: return .endRequest(at: offset)
    case 4: return .cutResponse(at: Int.random(in: 0...700))
    case 5: return .double
    default: return fault(Int.random(in: 0...5))
    }
  }

  /// The file names of all jobs.
  static func filenames(_ server: RunningServer) async throws -> [String] {
    var names: [String] = []
    var cursor = ""
    repeat {
      let answer = try await run(
        URL(fileURLWithPath: "/usr/bin/curl"), ["-s", "\(server.address)/jobs?limit=500\(cursor)"]
      ).output
      names += answer.matches(of: /"filename":"([^"]+)"/).map { String($0.1) }
      cursor = answer.firstMatch(of: /"next_cursor":"([^"]+)"/).map { "&cursor=\($0.1)" } ?? ""
    } while !cursor.isEmpty
    return names
  }

  struct Table {
    private var kills: [OutboxStep: Int] = [:]
    private var rounds: [OutboxStep: Int] = [:]
    private var faults: [String: Int] = [:]

    mutating func add(step: OutboxStep, kills: Int, faults: [String: Int]) {
      rounds[step, default: 0] += 1
      self.kills[step, default: 0] += kills
      self.faults.merge(faults, uniquingKeysWith: +)
    }

    func text(rounds total: Int, photos: Int, jobs: Int, lost: Int, twice: Int) -> String {
      let steps = OutboxStep.allCases.map { "| \($0.rawValue) | \(rounds[$0] ?? 0) | \(kills[$0] ?? 0) |" }
      let faults = self.faults.sorted { $0.key < $1.key }.map { "| \($0.key) | \($0.value) |" }
      return """
        | killed first at | rounds | kills |
        |---|---|---|
        \(steps.joined(separator: "\n"))

        | connections | number |
        |---|---|
        \(faults.joined(separator: "\n"))

        \(total) rounds, \(photos) photos, \(jobs) jobs: \(lost) lost, \(twice) twice.
        """
    }
  }
}

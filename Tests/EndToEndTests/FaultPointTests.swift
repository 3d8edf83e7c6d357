import Foundation
import Support
import Testing

/// Kills at every state transition of a job, by name.
@Suite(.serialized) struct FaultPointTests {
  /// The number of concurrent cases: each mostly waits for processes to start.
  private static let atOnce = 3

  /// A step of each kind, with the most harmful victim; all cases if `SERIALSCAN_EVERY_FAULT` is set.
  private static let cases: [FaultCase] = {
    if ProcessInfo.processInfo.environment["SERIALSCAN_EVERY_FAULT"] != nil {
      return FaultCase.all.filter { !TestStore.isShared || $0.point.liesOnPostgres }
    }
    let chosen: [(FaultPoint, FaultCase.Victim)] = [
      (.photoStored, .server), (.enqueuing, .server), (.enqueued, .server), (.claimed, .server),
      (.photoHanded, .reader), (.answerTaken, .both), (.saving, .both), (.completed, .server), (.refusing, .server),
      (.retrying, .server), (.rescued, .server), (.givenBack, .server), (.deleted, .server), (.jobsPruned, .server),
    ]
    return chosen.filter { !TestStore.isShared || $0.0.liesOnPostgres }.map { FaultCase(point: $0.0, victim: $0.1) }
  }()

  /// The server, its readers or both are killed at a point: every accepted job ends once, work continues within seconds,
  /// and nothing is left over.
  @Test func everyJobSurvivesKillAtEachStep() async throws {
    await withTaskGroup(of: Void.self) { group in
      for (number, fault) in Self.cases.enumerated() {
        if number >= Self.atOnce { await group.next() }
        group.addTask {
          do { try await fault.run() } catch { Issue.record(error, "\(fault)") }
        }
      }
    }
  }

  /// No variable enables fault points in the released program.
  @Test func releasedProgramHasNoFaultPoints() async throws {
    let everywhere = FaultPoint.allCases.map { "\($0.rawValue):1:both" }.joined(separator: ",")
    let server = try RunningServer(environment: ["SERIALSCAN_FAULT": everywhere])
    #expect(try await server.scan(FaultPhotos.labelled()).json["status"] as? String == "completed")
    #expect(server.stop() == 0)
    #expect(!server.logText.contains("fault: "))
    #expect(server.logText.contains("SERIALSCAN_FAULT is not a setting"))
    let strings = try Data(contentsOf: RunningServer.executable)
    #expect(strings.range(of: Data("SERIALSCAN_FAULT".utf8)) == nil)
    #expect(try Data(contentsOf: RunningServer.faultyExecutable).range(of: Data("SERIALSCAN_FAULT".utf8)) != nil)
  }

  /// The architecture document lists every point.
  @Test func architectureListsEveryFaultPoint() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appendingPathComponent("docs/architecture.md"), encoding: .utf8)
    #expect(FaultPoint.allCases.filter { !text.contains("`\($0.rawValue)`") }.isEmpty)
  }
}

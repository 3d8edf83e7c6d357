import Foundation
import Support
import Testing

/// A kill at a fault point: how the point is reached, and the checks afterwards.
struct FaultCase: Sendable, CustomStringConvertible {
  enum Victim: String {
    case server, reader, both
  }

  var point: FaultPoint
  var victim: Victim

  var description: String { "\(point.rawValue) \(victim.rawValue)" }

  /// Every point with the server as victim; while a reader works, also with the reader and with both.
  static let all: [FaultCase] = FaultPoint.allCases.flatMap { point -> [FaultCase] in
    let victims: [Victim] = point.hasReaderAtWork ? [.server, .reader, .both] : [.server]
    return victims.map { FaultCase(point: point, victim: $0) }
  }

  /// Kills the faulty server at the point, then starts the released program.
  func run() async throws {
    let stage = try await FaultStage(self)
    try await stage.reachPoint()
    try #require(await stage.hasFired(point, victim.rawValue), "\(self) was never reached:\n\(stage.log)")
    if victim != .reader { await stage.expectKilled() }
    let left = try DatabaseCopy(of: stage.data)
    #expect(left.integrity == "ok", "\(self)")
    #expect(stage.promised.subtracting(left.jobs).isEmpty, "\(self): accepted and not stored")
    let went = try await stage.continueWork()
    try await stage.expectEnds(of: left.jobs)
    try stage.expectOnce(since: left)
    if victim != .reader, left.hasUnfinished { try stage.expectResumed(since: went) }
    try await stage.expectTidy()
  }
}

extension FaultPoint {
  /// The action that reaches a point.
  enum Provocation: Equatable {
    /// The second of two photos is uploaded.
    case secondUpload
    /// A photo is read.
    case reading
    /// A photo without a serial is read.
    case readingNothing
    /// A damaged picture is read.
    case readingDamage
    /// The reader of a photo dies.
    case readerDies
    /// The reader of a photo is suspended, with a short lease.
    case readerHangs
    /// The server stops while a reader hangs.
    case stop
    /// The server starts after another died holding a job.
    case startAfterDeath
    /// The same, for a job already abandoned nineteen times.
    case startAfterManyDeaths
    /// The server is suspended past its lease.
    case lateServer
    /// The client of a waiting photo disconnects.
    case hangUp
    /// An ended job is deleted.
    case delete
    /// The server starts with a job that ended this many days ago.
    case startAfter(days: Int)
  }

  var provocation: Provocation {
    switch self {
    case .uploadBegun, .photoWritten, .photoSynced, .photoRenamed, .photoStored, .enqueuing, .enqueued: .secondUpload
    case .claiming, .claimed, .photoHanded, .answerTaken, .completing, .saving, .completed: .reading
    case .refusing, .refused: .readingNothing
    case .failing, .failed: .readingDamage
    case .readerLost, .retrying, .retried: .readerDies
    case .extending, .extended: .readerHangs
    case .givingBack, .givenBack: .stop
    case .reclaiming, .rescued: .startAfterDeath
    case .givingUp: .startAfterManyDeaths
    case .rescuing: .lateServer
    case .cancelling, .cancelled: .hangUp
    case .deleting, .deleted, .photoRemoved, .forgettingPhoto, .photoForgotten: .delete
    case .pruningPhotos, .photosPruned: .startAfter(days: 31)
    case .pruningJobs, .jobsPruned: .startAfter(days: 91)
    }
  }

  /// Whether the point exists with PostgreSQL, where one statement has no steps.
  var liesOnPostgres: Bool { ![.claiming, .retrying, .givingBack, .extending, .givingUp].contains(self) }

  /// Whether the point concerns a photo's file: with PostgreSQL photos are rows, unless machines share a folder.
  var isOfAFile: Bool {
    [.photoSynced, .photoRenamed, .photoStored, .photoRemoved, .forgettingPhoto, .photoForgotten].contains(self)
  }

  var hasReaderAtWork: Bool {
    [.reading, .readingNothing, .readingDamage, .readerDies, .readerHangs].contains(provocation)
  }
}

/// A copy of the database as a killed server left it: opening the original would do the recovery that the next server
/// must do. PostgreSQL is queried directly.
struct DatabaseCopy {
  /// The result of `integrity_check`.
  let integrity: String
  /// The ids of all jobs.
  let jobs: Set<String>
  /// Jobs that have ended, with their states.
  let ends: Set<String>

  var hasUnfinished: Bool { ends.count < jobs.count }

  init(of data: URL) throws {
    guard !TestStore.isShared else {
      integrity = "ok"
      jobs = try Self.lines(data, "SELECT id FROM jobs")
      ends = try Self.ends(in: data)
      return
    }
    let copy = RunningServer.freshFolder()
    defer { try? FileManager.default.removeItem(at: copy) }
    for name in ["serialscan.sqlite", "serialscan.sqlite-wal"] {
      let file = data.appendingPathComponent(name)
      guard FileManager.default.fileExists(atPath: file.path) else { continue }
      try FileManager.default.copyItem(at: file, to: copy.appendingPathComponent(name))
    }
    integrity = try CrashTests.sqlite(copy, "PRAGMA integrity_check")
    jobs = Set(try CrashTests.sqlite(copy, "SELECT id FROM jobs").split(separator: "\n").map(String.init))
    ends = Set(try CrashTests.sqlite(copy, Self.endsStatement).split(separator: "\n").map(String.init))
  }

  private static let endsStatement =
    "SELECT id, state, ended_at, error_code, saved, reading FROM jobs WHERE ended_at IS NOT NULL"

  static func ends(in data: URL) throws -> Set<String> {
    try lines(data, endsStatement)
  }

  static func lines(_ data: URL, _ statement: String) throws -> Set<String> {
    Set(try TestStore.ask(data, statement).split(separator: "\n").map(String.init))
  }
}

import Foundation
import Support
import Testing

/// One kill at one fault point: how the point is reached, and what must hold afterwards.
struct FaultCase: Sendable, CustomStringConvertible {
  enum Victim: String {
    case server, reader, both
  }

  var point: FaultPoint
  var victim: Victim

  var description: String { "\(point.rawValue) \(victim.rawValue)" }

  /// Every point with the server as victim; where a reader is at work also with the reader, and with both.
  static let all: [FaultCase] = FaultPoint.allCases.flatMap { point -> [FaultCase] in
    let victims: [Victim] = point.hasReaderAtWork ? [.server, .reader, .both] : [.server]
    return victims.map { FaultCase(point: point, victim: $0) }
  }

  /// Reaches the point with the faulty server, which is killed there, and lets the program that is served continue.
  func run() async throws {
    let stage = try await FaultStage(self)
    try await stage.reachPoint()
    try #require(await stage.hasFired(point, victim.rawValue), "\(self) was never reached:\n\(stage.log)")
    if victim != .reader { await stage.expectKilled() }
    let left = try DatabaseCopy(of: stage.data)
    #expect(left.integrity == "ok", "\(self)")
    #expect(stage.promised.subtracting(left.jobs).isEmpty, "\(self): accepted and not stored")
    let went = try await stage.goOn()
    try await stage.expectEnds(of: left.jobs)
    try stage.expectOnce(since: left)
    if victim != .reader, left.hasUnfinished { try stage.expectResumed(since: went) }
    try await stage.expectTidy()
  }
}

extension FaultPoint {
  /// How a point is reached.
  enum Provocation: Equatable {
    /// The second of two photos is uploaded.
    case secondUpload
    /// A photo is read.
    case reading
    /// A photo without a serial is read.
    case readingNothing
    /// A damaged picture is read.
    case readingDamage
    /// A photo is read whose reader dies.
    case readerDies
    /// A photo is read whose reader is suspended, under a short lease.
    case readerHangs
    /// The server stops while a reader hangs.
    case stop
    /// The server starts where another died holding a job.
    case startAfterDeath
    /// The same, for a job that was held at nineteen deaths before.
    case startAfterManyDeaths
    /// The server is suspended past its lease.
    case lateServer
    /// A client goes away whose photo waits.
    case hangUp
    /// An ended job is deleted.
    case delete
    /// The server starts where a job ended so many days ago.
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

  /// Whether a server at PostgreSQL comes by it: what is one statement has no middle there.
  var liesOnPostgres: Bool { ![.claiming, .retrying, .givingBack, .extending, .givingUp].contains(self) }

  /// Whether it is one of a photo's file: at PostgreSQL photos are rows, unless machines mount a folder for them.
  var isOfAFile: Bool {
    [.photoSynced, .photoRenamed, .photoStored, .photoRemoved, .forgettingPhoto, .photoForgotten].contains(self)
  }

  var hasReaderAtWork: Bool {
    [.reading, .readingNothing, .readingDamage, .readerDies, .readerHangs].contains(provocation)
  }
}

/// The database as a killed server has left it, opened as a copy: opening the folder's own would do the recovery that
/// the next server has to do. PostgreSQL has no such thing, and is asked itself.
struct DatabaseCopy {
  /// What `integrity_check` says.
  let integrity: String
  /// The ids of all jobs.
  let jobs: Set<String>
  /// Jobs that have ended, and how.
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

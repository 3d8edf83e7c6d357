import Foundation
import JobStore
import PostgresClient
import SQLStore
import Support

/// Notifies other machines of changes made here, and receives their notifications.
///
/// Notifications are sent in batches after the commits: one inside each transaction would serialise all commits of the
/// database. Progress and ends whose notifications are lost with a machine or connection are found by polling every
/// second; changes and deletions of ended jobs are not.
final class ChangeFeed: Sendable {
  private static let channel = "serialscan_jobs"
  /// PostgreSQL limits payloads to less than 8,000 bytes; ids have 36 characters.
  private static let mostIDs = 150
  /// Upper bound on arrivals, more than there are workers to wake.
  private static let mostArrivals = 100_000

  /// The contents of a notification.
  private struct Note: Codable {
    var from: String
    var arrived: Int
    var ended: [String]
    /// The one store instance that should wake workers for the arrivals, and notifies the others if it has none idle;
    /// nil for all. Versions that don't know this field wake their workers.
    var to: String?
    /// A token sent to itself, to prove that notifications arrive.
    var word: String?
    /// Ended jobs that a person changed. Versions that don't know this field and the next one ignore them.
    var changed: [String]?
    var deleted: [DeletedJob]?
  }

  private struct Pending {
    var arrived = 0
    /// Arrivals that another instance passed on to all.
    var passedOn = 0
    var ended: [String] = []
    var changed: [String] = []
    var deleted: [DeletedJob] = []
    var isSending = false
    var isEmpty: Bool { arrived == 0 && passedOn == 0 && ended.isEmpty && changed.isEmpty && deleted.isEmpty }

    /// Takes the oldest jobs that fit into one notification.
    mutating func takeJobs() -> (ended: [String], changed: [String], deleted: [DeletedJob]) {
      let first = (
        ended: Array(ended.prefix(ChangeFeed.mostIDs / 3)), changed: Array(changed.prefix(ChangeFeed.mostIDs / 3)),
        // Each has three ids and their names.
        deleted: Array(deleted.prefix(ChangeFeed.mostIDs / 12))
      )
      ended = Array(ended.dropFirst(first.ended.count))
      changed = Array(changed.dropFirst(first.changed.count))
      deleted = Array(deleted.dropFirst(first.deleted.count))
      return first
    }
  }

  private let pool: PostgresPool
  private let changes: JobChanges
  private let sender: String
  private let pending = Locked(Pending())
  private let idleElsewhere = Locked(IdleMachines())
  private let proof = Locked(HearingProof())
  private let followed = Locked(Followed())
  private let listener = Locked<PostgresListener?>(nil)
  private let tasks = Locked<[Task<Void, Never>]>([])

  init(pool: PostgresPool, changes: JobChanges, sender: String) {
    self.pool = pool
    self.changes = changes
    self.sender = sender
  }

  // MARK: Sending notifications

  /// Wakes an idle worker for each of `count` jobs that can be claimed now: here first, the rest on another machine.
  func announceArrivals(_ count: Int) {
    let left = count - changes.announceArrivals(count)
    guard left > 0 else { return }
    tell { $0.arrived += left }
  }

  /// Notifies others that a job has ended.
  func tellEnd(of id: String) {
    followed.withLock { $0.note(told: [id]) }
    tell { $0.ended.append(id) }
  }

  /// Notifies others that a person changed ended jobs.
  func tellChange(of ids: [String]) { tell { $0.changed += ids } }

  /// Notifies others that a job was deleted.
  func tellDeletion(of job: DeletedJob) { tell { $0.deleted.append(job) } }

  private func tell(_ change: (inout Pending) -> Void) {
    let mustSend = pending.withLock { pending in
      change(&pending)
      defer { pending.isSending = true }
      return !pending.isSending
    }
    if mustSend { Task { await send() } }
  }

  /// Sends batched notifications until none are left; further changes are batched meanwhile.
  private func send() async {
    while true {
      let note = pending.withLock { pending -> Note? in
        guard !pending.isEmpty else {
          pending.isSending = false
          return nil
        }
        let jobs = pending.takeJobs()
        defer { (pending.arrived, pending.passedOn) = (0, 0) }
        // Arrivals passed on, and everything sent with them, go to all instances.
        let to = pending.passedOn == 0 ? idleElsewhere.withLock { $0.draw(for: pending.arrived) } : nil
        return Note(
          from: sender, arrived: pending.arrived + pending.passedOn, ended: jobs.ended, to: to, changed: jobs.changed,
          deleted: jobs.deleted)
      }
      guard let note else { return }
      // Instances that miss this find out by polling.
      try? await pool.withConnection { try Self.tell(note, on: $0) }
    }
  }

  private static func tell(_ note: Note, on connection: PostgresConnection) throws {
    let payload = String(decoding: try JSONEncoder().encode(note), as: UTF8.self)
    _ = try connection.run("SELECT pg_notify($1, $2)", [.text(channel), .text(payload)])
  }

  // MARK: Receiving notifications

  /// Starts receiving notifications.
  func listen(at address: PostgresAddress, times: PostgresTimes) {
    listener.withLock { listener in
      listener = PostgresListener(address: address, channels: [Self.channel], times: times) { [weak self] in
        self?.hear($0)
      }
    }
    keep { feed in
      await feed.lookAfterAwaited()
      await feed.lookAfterAll()
      try? await Task.sleep(for: .seconds(1))
    }
  }

  private func hear(_ event: PostgresListener.Event) {
    switch event {
    case .connected:
      proof.withLock { $0.connected() }
      Task {
        try? await pool.withConnection { [weak self] in try self?.proveHearing(on: $0) }
        await lookAfterAwaited()
        await lookAfterAll()
      }
    case .disconnected: proof.withLock { $0.disconnected() }
    case .notification(_, let payload):
      guard let note = try? JSONDecoder().decode(Note.self, from: Data(payload.utf8)) else { return }
      guard note.from != sender else {
        if let word = note.word { proof.withLock { $0.heard(word) } }
        return
      }
      hear(of: min(max(0, note.arrived), Self.mostArrivals), to: note.to)
      let awaited = changes.awaited
      let ended = changes.isFollowed ? note.ended : note.ended.filter(awaited.contains)
      if !ended.isEmpty { Task { await look(at: ended) } }
      guard changes.isFollowed else { return }
      for job in note.deleted ?? [] { changes.tellFollowers(of: .deleted(job)) }
      if let changed = note.changed, !changed.isEmpty { Task { await look(changed: changed) } }
    }
  }

  /// Wakes workers for arrivals. If they were sent only to this instance and it has too few idle workers, passes the
  /// rest on to all, once.
  private func hear(of arrived: Int, to name: String?) {
    guard name == nil || name == sender else { return }
    let left = arrived - changes.announceArrivals(arrived)
    if name != nil, left > 0 { tell { $0.passedOn += left } }
  }

  /// Finds awaited ends whose notifications were lost.
  private func lookAfterAwaited() async {
    let awaited = Array(changes.awaited)
    if !awaited.isEmpty { await look(at: awaited) }
  }

  /// Finds jobs that other instances have claimed, advanced or ended since the last poll, for followers of all jobs.
  private func lookAfterAll() async {
    guard changes.isFollowed else { return followed.withLock { $0 = Followed() } }
    let (sender, since) = (sender, followed.withLock { $0.since })
    let found = try? await pool.read { connection in
      let now = try connection.run("SELECT store_now() AS now").first?.integer("now") ?? 0
      let ended = try connection.run(Self.endedSince, [.integer(since ?? now - Followed.firstLook)]).rows
      let begun = try connection.run(Self.heldElsewhere, [.text(sender), .init(Self.mostArrivals)]).rows
      return (now, Set(try ended.map { try $0.text("id") }), try begun.map(Job.init(row:)))
    }
    guard let (now, ended, held) = found else { return }
    let (new, changed) = followed.withLock { $0.note(ended: ended, held: held, at: now) }
    for job in changed { changes.publish(job) }
    if !new.isEmpty { await look(at: new) }
  }

  /// Selects jobs that ended since a time. Parameter: the time.
  package static let endedSince = "SELECT id FROM jobs WHERE ended_at IS NOT NULL AND ended_at >= $1"

  /// Selects jobs held by other instances. Parameters: this instance's holder, and the limit.
  package static let heldElsewhere = """
    SELECT \(Job.columns) FROM jobs WHERE state = 'processing' AND holder IS DISTINCT FROM $1 ORDER BY seq LIMIT $2
    """

  private func ended(of ids: [String]) async -> [Job]? {
    // Clients may wait for arbitrary ids; those of jobs are UUIDs.
    let list = "{" + ids.filter { UUID(uuidString: $0) != nil }.joined(separator: ",") + "}"
    return try? await pool.read { connection in
      try connection.run(
        "SELECT \(Job.columns) FROM jobs WHERE id = ANY($1::text[]) AND state IN ('completed', 'failed')",
        [.text(list)]
      ).rows.map(Job.init(row:))
    }
  }

  /// Notifies followers of jobs that a person changed on another machine.
  private func look(changed ids: [String]) async {
    for job in await ended(of: ids) ?? [] { changes.tellFollowers(of: .changed(job)) }
  }

  private func look(at ids: [String]) async {
    let jobs = await ended(of: ids)
    for job in jobs ?? [] { changes.publish(job) }
    // Retry the lookups that failed.
    if jobs == nil { followed.withLock { $0.forget(ids) } } else { followed.withLock { $0.note(told: ids) } }
  }

  // MARK: Heartbeats

  /// Sends a heartbeat every second, before all work waiting for a connection: an instance that is only busy must not
  /// look dead.
  func beat(as holder: String, workers: Int, version: String?) {
    keep { feed in
      try? await feed.pool.withConnection(isUrgent: true) { connection in
        _ = try connection.run(
          """
          INSERT INTO servers AS mine (id, name, since, beat_at, workers, version, hears)
          VALUES ($1, $2, store_now(), store_now(), $4, $5, $6)
          ON CONFLICT (id) DO UPDATE SET beat_at = store_now(), hears = excluded.hears,
            since = CASE WHEN mine.beat_at < store_now() - $3 THEN store_now() ELSE mine.since END
          """,
          [
            .text(holder), .text(Machine.thisName), .integer(PostgresStore.silence.microseconds), .init(workers),
            PostgresValue(version), .boolean(feed.proof.withLock(\.isHearing)),
          ])
        try feed.proveHearing(on: connection)
        let rows = try connection.run(
          PostgresStore.idleStatement, [.text(holder), .integer(PostgresStore.silence.microseconds)]
        ).rows
        let idle = try rows.map { (name: try $0.text("id"), workers: try $0.count("idle")) }
        feed.idleElsewhere.withLock { $0 = IdleMachines(idle) }
      }
      try? await Task.sleep(for: .seconds(1))
    }
  }

  /// Sends a token to itself until one has arrived.
  private func proveHearing(on connection: PostgresConnection) throws {
    guard let word = proof.withLock({ $0.wordToTell() }) else { return }
    try Self.tell(Note(from: sender, arrived: 0, ended: [], to: sender, word: word), on: connection)
  }

  private func keep(_ work: @escaping @Sendable (ChangeFeed) async -> Void) {
    let task = Task { [weak self] in
      while !Task.isCancelled, let self { await work(self) }
    }
    tasks.withLock { $0.append(task) }
  }

  /// Stops receiving notifications and sending heartbeats.
  func stop() {
    tasks.withLock { $0.forEach { $0.cancel() } }
    listener.withLock { $0?.stop() }
  }
}

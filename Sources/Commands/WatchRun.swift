import Dispatch
import Foundation
import Support

/// Reads the photos of a folder as they arrive, until it is stopped.
///
/// For each photo: it is complete; its bytes are read; the store or the server gets it under a key derived from its
/// bytes; its result is written durably to the journal; the photo is moved (`WatchPhoto.swift`). Each step can be
/// repeated; the photo counts as read once the journal has its line.
final class WatchRun: Sendable {
  /// The polling interval while the kernel reports changes; it only catches missed ones.
  private static let slowLook = Duration.seconds(30)
  /// The minimum time between two polls, whatever is reported.
  private static let quickLook = Duration.milliseconds(200)
  /// The maximum pause after failures, in seconds.
  private static let longestPause = 60.0
  /// With `once`, the maximum number of attempts for a photo, and of consecutive failures for other reasons.
  private static let attempts = 3
  /// With `once`, the maximum number of checks, a second apart, of a file that is open for writing.
  private static let writerAttempts = 60
  /// The maximum time until the spreadsheet is written; it is written earlier if nothing is in progress.
  private static let sheetInterval = Duration.seconds(10)
  /// With `once`, how long to wait for a file that keeps changing.
  private static let growthPatience = Duration.seconds(60)

  /// The options of a watch.
  struct Options: Sendable {
    var folder: WatchedFolder
    var settle: Duration
    /// The polling interval if the kernel does not report changes; nil if it does.
    var poll: Duration?
    var once: Bool
    var sheet: WatchSheet?
    var deviceType: String?
    /// The read options besides the photo, for its key.
    var asked: String
    var largestPhoto: Int
    /// The permission bits removed from files and folders meant for users.
    var mask: mode_t
    /// Seconds that photos in progress get at a stop.
    var grace: Double
  }

  /// A file to be tried again later.
  struct Hold {
    var until = ContinuousClock.now
    /// The number of failed reads.
    var failures = 0
    /// The number of times the file was found open for writing.
    var writers = 0
  }

  struct State {
    var isStopping = false
    var underWay: Set<String> = []
    /// Files not to be tried again before a certain time.
    var held: [String: Hold] = [:]
    /// Consecutive failures for reasons other than the photos.
    var failures = 0
    var pausedUntil = ContinuousClock.now
    var isSheetStale = true
    var sheetWritten = ContinuousClock.now
  }

  let options: Options
  let journal: WatchJournal
  let move: WatchMove?
  let reader: any WatchReading
  let voice: WatchVoice
  let state = Locked(State())
  private let wakes: AsyncStream<Void>
  private let waker: AsyncStream<Void>.Continuation
  /// The queue for the journal and for moves, one photo at a time. Separate from Swift's threads, because a disk may
  /// block it.
  let desk = DispatchQueue(label: "serialscan.watch.desk")
  private let looks = DispatchQueue(label: "serialscan.watch.looks")
  let files = DispatchQueue(label: "serialscan.watch.files", attributes: .concurrent)

  /// Creates a watch.
  ///
  /// - Parameter move: Moves photos that were read; nil to leave them in place.
  init(_ options: Options, journal: WatchJournal, move: WatchMove?, reader: any WatchReading, voice: WatchVoice) {
    (self.options, self.journal, self.move, self.reader, self.voice) = (options, journal, move, reader, voice)
    (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Starts no further photos. `run` returns when those in progress have ended or their time is over.
  func stop() {
    state.withLock { $0.isStopping = true }
    waker.yield()
  }

  /// Runs until it is stopped, or with `once` until nothing is left to do. Returns what could not be done: names of
  /// photos, the folder, the spreadsheet.
  func run() async -> [String] {
    var left = await withDiscardingTaskGroup { group in
      let left = await watch(&group)
      await windUp(&group)
      return left
    }
    await writeSheet(force: true)
    if let sheet = options.sheet, state.withLock({ $0.isSheetStale }) { left.append(sheet.path) }
    return left
  }

  private func watch(_ group: inout DiscardingTaskGroup) async -> [String] {
    var notices: FolderNotices?
    var identity: FileIdentity?
    var settling = Settling(time: options.settle)
    var iterator = wakes.makeAsyncIterator()
    let began = ContinuousClock.now
    var isAway = false
    while true {
      let lookedAt = ContinuousClock.now
      if state.withLock({ $0.isStopping }) { return [] }
      let current = await on(looks) { [folder = options.folder] in folder.identity }
      if options.poll == nil, current != nil, current != identity || notices?.hasEnded != false {
        if identity != nil, current != identity {
          voice.say("\(options.folder.path) is another folder now (mounted, unmounted or replaced)")
        }
        notices = FolderNotices(of: options.folder.path) { [waker] in waker.yield() }
        if notices == nil {
          voice.complain(
            WatchProblem(
              .surroundings,
              "The kernel does not report changes in \(options.folder.path); it is checked every 5 seconds."))
        }
      }
      identity = current ?? identity
      let rest = options.poll ?? (notices == nil ? .seconds(5) : Self.slowLook)
      var next = rest
      do throws(WatchProblem) {
        let (listed, misnamed) = try await look()
        if isAway { voice.recover("\(options.folder.path) is available again") }
        isAway = false
        for name in misnamed { voice.complain(.misnamed(options.folder.path + "/" + name)) }
        let open = listed.filter { !journal.knows($0.key, $0.value) || move != nil }
        let whole = settling.whole(of: open, writers: notices?.writers ?? [], at: lookedAt)
        let begun = begin(whole.names, open, &group)
        next = min(next, whole.next ?? next, begun.next ?? next)
        if options.once, begun.isIdle {
          let growing = open.filter { $0.value.size > 0 }.keys
          if growing.allSatisfy(whole.names.contains) || .now - began > Self.growthPatience {
            return growing.sorted() + misnamed
          }
        }
      } catch {
        voice.complain(error)
        isAway = true
        next = min(.seconds(5), rest)
        if options.once { return [options.folder.path] }
      }
      await writeSheet(force: false)
      let timer = Task { [waker, delay = max(Self.quickLook, next)] in
        try await Task.sleep(for: delay)
        waker.yield()
      }
      await iterator.next()
      timer.cancel()
      let pause = Self.quickLook - (.now - lookedAt)
      if pause > .zero { try? await Task.sleep(for: pause) }
    }
  }

  private func look() async throws(WatchProblem) -> (files: [String: FileMark], misnamed: [String]) {
    try await on(looks) { [folder = options.folder] in
      Result { () throws(WatchProblem) in try folder.files() }
    }.get()
  }

  /// Starts as many photos as may be in progress. Returns whether none is in progress or waiting, and how long until
  /// the next one can be tried again.
  private func begin(
    _ names: [String], _ files: [String: FileMark], _ group: inout DiscardingTaskGroup
  ) -> (isIdle: Bool, next: Duration?) {
    let now = ContinuousClock.now
    var due: [(String, FileMark)] = []
    let outcome = state.withLock { state -> (isIdle: Bool, next: Duration?) in
      state.held = state.held.filter { files[$0.key] != nil }
      var next: Duration?
      var isWaiting = false
      for name in names where !state.underWay.contains(name) {
        let hold = state.held[name]
        if options.once, hold.map(Self.isGivenUp) ?? false || state.failures >= Self.attempts { continue }
        let time = max(hold?.until ?? now, state.pausedUntil)
        guard time <= now else {
          next = min(next ?? time - now, time - now)
          isWaiting = true
          continue
        }
        guard state.underWay.count < reader.width, let mark = files[name] else {
          isWaiting = true
          continue
        }
        state.underWay.insert(name)
        due.append((name, mark))
      }
      return (state.underWay.isEmpty && !isWaiting, next)
    }
    for (name, mark) in due {
      group.addTask { [self] in
        do throws(WatchProblem) {
          try await handle(name, mark)
          done(name, nil)
        } catch { done(name, error) }
      }
    }
    return outcome
  }

  /// Whether `once` gives up on a file.
  private static func isGivenUp(_ hold: Hold) -> Bool {
    hold.failures >= attempts || hold.writers >= writerAttempts
  }

  private func done(_ name: String, _ problem: WatchProblem?) {
    let hadFailed = state.withLock { state in
      state.underWay.remove(name)
      var hold = state.held[name] ?? Hold()
      switch problem?.cause {
      case nil:
        defer { state.failures = 0 }
        state.held[name] = nil
        state.pausedUntil = .now
        return state.failures > 0
      case .moved:
        hold.writers += 1
        hold.until = .now + .seconds(1)
        state.held[name] = hold
      case .photo:
        hold.failures += 1
        hold.until = .now + Self.pause(after: hold.failures)
        state.held[name] = hold
      case .surroundings:
        // Photos that failed concurrently count as one failure.
        guard state.pausedUntil <= .now else { break }
        state.failures += 1
        state.pausedUntil = .now + Self.pause(after: state.failures)
      }
      return false
    }
    if let problem, problem.cause != .moved, !Task.isCancelled { voice.complain(problem) }
    if hadFailed { voice.recover("reading photos again") }
    waker.yield()
  }

  private static func pause(after failures: Int) -> Duration {
    .seconds(min(longestPause, pow(2, Double(min(failures, 10) - 1))) * Double.random(in: 0.75...1))
  }

  /// Waits for photos in progress, and cancels them when their time is over.
  private func windUp(_ group: inout DiscardingTaskGroup) async {
    let end = ContinuousClock.now + .seconds(options.grace)
    while !state.withLock({ $0.underWay.isEmpty }), .now < end { try? await Task.sleep(for: .milliseconds(20)) }
    group.cancelAll()
  }

  /// Writes the spreadsheet from the journal, so that it has a row per photo, however the program ended before.
  private func writeSheet(force: Bool) async {
    guard let sheet = options.sheet else { return }
    let isDue = state.withLock { state in
      state.isSheetStale && (force || state.underWay.isEmpty || .now - state.sheetWritten > Self.sheetInterval)
    }
    guard isDue else { return }
    let result = await on(desk) { [journal, mask = options.mask] in
      Result { () throws(WatchProblem) in try sheet.write(journal.rows, mask: mask) }
    }
    state.withLock { state in
      if case .success = result { state.isSheetStale = false }
      state.sheetWritten = .now
    }
    if case .failure(let problem) = result { voice.complain(problem) }
  }

  /// Runs work that may wait for a disk on a dedicated queue.
  func on<Value: Sendable>(
    _ queue: DispatchQueue, _ work: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: work()) } }
  }
}

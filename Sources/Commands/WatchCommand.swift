import ArgumentParser
import Evaluations
import Exports
import Foundation
import HTTPAPI
import JobRunner
import JobStore
import Logging
import ScanModel
import Settings
import Support

/// `serialscan watch FOLDER`: reads photos as they arrive in a folder.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch", abstract: "Read photos as they arrive in a folder.",
    discussion: """
      For folders that a camera, a phone's sync or a share writes to. Each photo is read once, when it is complete: no \
      program has it open for writing, and it has not changed for --settle seconds. Then it is moved to the folder \
      --done, or marked as read if there is no --done. Photos with the same bytes are the same photo, whatever their names. A kill \
      or a restart at any moment loses no photo and reads none twice.

      Skipped: subfolders, links, hidden files, empty files, and unfinished uploads (.part, .crdownload, .tmp, ~, \
      .syncthing.*). A file that is not a picture is moved to its subfolder `unreadable`, or reported once.

      The photos are read by readers of this program and saved in the store, or sent to --server. Problems (a full disk, \
      a share that is not mounted, a server that does not answer) are reported, and the work is retried.

      SIGINT and SIGTERM end it with status 0 after the photos being read. With --once it ends with status 1 if a photo is \
      left.

      Examples:
        serialscan watch /srv/photos --done /srv/done --output serials.xlsx
        SERIALSCAN_API_KEY=... serialscan watch ~/Camera --server https://HOST
        serialscan watch /mnt/share --poll 10 --done /mnt/share/done --once
      """)

  @Argument(help: "The folder to watch.", completion: .directory, transform: notEmpty)
  var folder: String

  @Option(
    help: "Move photos that were read to this folder, which is created if necessary.", completion: .directory,
    transform: notEmpty)
  var done: String?

  @Option(help: "Send the photos to the server at this address instead of reading them here.", transform: notEmpty)
  var server: String?

  @Option(help: "The server's API key (default: the variable SERIALSCAN_API_KEY, which other users can't see).")
  var key: String?

  @Option(
    help: "Keep a spreadsheet with a row for each photo: FILE.xlsx or FILE.csv.",
    completion: .file(extensions: ["xlsx", "csv"]), transform: notEmpty)
  var output: String?

  @Option(help: "etched, screen or sticker (default: auto-detect).")
  var preset: Preset?

  @Option(help: "The device type of every photo, such as \"MacBook Pro\".")
  var deviceType: String?

  @Option(
    parsing: .unconditional,
    help: "Check the folder at this interval in seconds (default: on changes; every 5 seconds on network file systems)."
  )
  var poll: Double?

  @Option(parsing: .unconditional, help: "Seconds a photo must stay unchanged before it is read.")
  var settle = 2.0

  @Flag(help: "Read the photos that are there, then exit.")
  var once = false

  @Option(
    help: "The list of photos that were read (default: a file in DATA/watch).", completion: .file(), transform: notEmpty
  )
  var journal: String?

  @Option(parsing: .unconditional, help: "Photos read at the same time (default: one per core).")
  var workers: String?

  @OptionGroup var options: StoreOptions

  func validate() throws {
    if server != nil, options.address != nil { throw ValidationError("--server and --store can't be combined") }
    if key != nil, server == nil { throw ValidationError("--key can only be used with --server") }
    if let output, sheetFormat == nil {
      throw ValidationError("--output must end in .xlsx or .csv (got \"\(output)\")")
    }
    if let server, serverAddress == nil {
      throw ValidationError("--server must be an address like http://localhost:8000 (got \"\(server)\")")
    }
    if let deviceType, deviceType.unicodeScalars.count > TypedSerial.longestDeviceType {
      throw ValidationError("--device-type must be at most \(TypedSerial.longestDeviceType) characters")
    }
    guard (0...3600).contains(settle) else { throw ValidationError("--settle must be between 0 and 3600 seconds") }
    if let poll, !(0.1...86_400).contains(poll) {
      throw ValidationError("--poll must be between 0.1 and 86400 seconds")
    }
  }

  func run() async throws {
    let settings = try loadSettings()
    var watched = WatchedFolder(path: Self.standardised(folder))
    guard watched.identity != nil else {
      throw InputPath.missing(
        watched.path, "there is no folder \(watched.path). Create it, or mount it if it is a share")
    }
    guard !RegularFile.exists(at: watched.path) else {
      throw CleanExit.failure("\(watched.path) is a file; name the folder in which photos arrive")
    }
    for path in [output, journal].compactMap({ $0 }) {
      let url = URL(fileURLWithPath: path)
      guard WatchedFolder(path: url.deletingLastPathComponent().path).identity == watched.identity else { continue }
      watched.own.insert(url.lastPathComponent)
    }
    LogFormat.bootstrap(settings.log)
    let logger = Logger(label: "serialscan")
    settings.warnings.forEach { logger.warning("\($0)") }
    _ = OpenFiles.raiseLimit()
    // The list and the data folder are private; the spreadsheet and the moved photos get the user's normal permissions.
    let mask = umask(0o077)
    let name = SHA256.hexadecimal(Array(watched.path.utf8)).prefix(16)
    // Before the list, which is in it: a folder that can't be used is reported with its own path.
    if serverAddress == nil || journal == nil {
      try DataFolder(path: settings.data).prepare(with: "watch")
    }
    if let output { try OutputFile.refuseFolder(output) }
    let (list, move) = try prepared(settings, watched, String(name), mask)
    let (reader, stopReading) = try makeReader(settings, logger)
    let run = WatchRun(
      runOptions(settings, watched, mask), journal: list, move: move, reader: reader, voice: WatchVoice())
    let stop = StopLimit(seconds: settings.server.stopTimeout, logger: logger)
    let serviceManager = ServiceManager()
    let signals = StopSignals { count in
      if count > 1 { ProgramEnd.with(.failure) }
      serviceManager?.tell(.stopping)
      stop.begin()
      run.stop()
    }
    defer { signals.cancel() }
    StandardOutput.shared.announce("watching \(watched.path)")
    serviceManager?.tell(.ready)
    let left = await run.run()
    await stopReading()
    if once, !left.isEmpty, !stop.hasBegun {
      throw CleanExit.failure("not done: \(left.joined(separator: ", ")). Fix the cause and start it again")
    }
  }

  private func loadSettings() throws -> Settings {
    let settings = try options.load([("workers", workers)])
    if server == nil, settings.store.url == nil, settings.workers == 0 {
      throw CleanExit.misconfigured("--workers must be at least 1; leave it out for one per core")
    }
    return settings
  }

  private func runOptions(_ settings: Settings, _ watched: WatchedFolder, _ mask: mode_t) -> WatchRun.Options {
    let interval = poll ?? (watched.isOnNetwork ? 5 : nil)
    return WatchRun.Options(
      folder: watched, settle: .seconds(settle), poll: interval.map { .seconds($0) }, once: once,
      sheet: output.flatMap { path in sheetFormat.map { WatchSheet(path: Self.standardised(path), format: $0) } },
      deviceType: deviceType?.trimmed,
      asked: "\(preset?.rawValue ?? "") \(deviceType ?? "")" + (settings.reading.multiple ? " multiple" : ""),
      largestPhoto: settings.upload.maxBytes, mask: mask,
      grace: settings.server.stopTimeout)
  }

  /// Opens the journal and creates its folder.
  private func prepared(
    _ settings: Settings, _ watched: WatchedFolder, _ name: String, _ mask: mode_t
  ) throws -> (WatchJournal, WatchMove?) {
    let path = journal ?? DataFolder(path: settings.data).path + "/watch/\(name).journal"
    let move = done.map { WatchMove(watched: watched, folder: Self.standardised($0), token: name, mask: mask) }
    do throws(WatchProblem) {
      let list = try WatchJournal(path: path)
      try move?.prepare()
      return (list, move)
    } catch {
      throw CleanExit.failure(error.sentence)
    }
  }

  /// Creates the reader, and returns how to stop it.
  private func makeReader(
    _ settings: Settings, _ logger: Logger
  ) throws -> (any WatchReading, @Sendable () async -> Void) {
    if let address = serverAddress {
      let key = key ?? ProcessInfo.processInfo.environment["SERIALSCAN_API_KEY"]
      let reader = WatchServer(
        address: address, key: key, preset: preset?.rawValue, deviceType: deviceType,
        everySerial: settings.reading.multiple)
      return (reader, {})
    }
    let store = try openedStore(settings)
    let runner = try makeRunner(settings, store: store, logger: logger)
    let upkeep = Housekeeping(
      store: store, data: URL(fileURLWithPath: settings.data), retention: settings.retention, logger: logger)
    let work = Task {
      async let reading: Void = runner.run()
      try? await upkeep.run()
      await reading
    }
    let reader = WatchStore(
      store: store, width: settings.workers == 0 ? 8 : settings.workers * 2,
      preset: preset ?? deviceType.flatMap { Preset(deviceType: $0) },
      deviceType: deviceType, everySerial: settings.reading.multiple)
    return (
      reader,
      {
        await runner.stop(grace: .zero)
        work.cancel()
        await work.value
        try? await store.close()
      }
    )
  }

  private func openedStore(_ settings: Settings) throws -> any ServerStore {
    do {
      return try openStore(settings, isServer: true, workers: settings.workers)
    } catch StoreOpenError.inUse(let path) {
      throw CleanExit.failure(
        "\(path) is used by a server or another program that reads. Send the photos to that server: --server http://localhost:8000"
      )
    } catch let error as StoreOpenError {
      throw CleanExit.failure(error.description)
    }
  }

  private var sheetFormat: SerialExport.Format? {
    output.flatMap { SerialExport.Format(rawValue: URL(fileURLWithPath: $0).pathExtension.lowercased()) }
  }

  private var serverAddress: URL? {
    guard let server, let url = URL(string: server), ["http", "https"].contains(url.scheme), url.host() != nil else {
      return nil
    }
    return url
  }

  /// Returns the absolute path: the journal's file name is derived from it.
  private static func standardised(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.path
  }
}

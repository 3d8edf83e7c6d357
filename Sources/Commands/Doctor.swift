import Foundation
import JobStore
import PostgresStore
import SQLiteStore
import ScanModel
import SerialReading
import Settings
import Support
import TextReading

/// The checks of `serialscan doctor`. None of them changes anything.
struct Doctor {
  let settings: Settings
  let folder: DataFolder

  /// The checks in the order of their output.
  var checks: [() -> [Finding]] {
    if settings.store.url != nil { return [rights, space, libraries, descriptors, sharedDatabase] }
    let general: [() -> [Finding]] = [rights, space, libraries, clock, descriptors]
    return folder.isFile ? general : general + [database, photos]
  }

  /// Checks that this user can write the data folder and that others can't read it.
  private func rights() -> [Finding] {
    if let reason = FileRefusal(hiding: folder.path)?.systemText {
      return [Finding(.wrong, "data", "\(folder.path) can't be reached: \(reason); run as the server's user")]
    }
    guard FileManager.default.fileExists(atPath: folder.path) else {
      return [Finding(.look, "data", "\(folder.path) does not exist yet; the server creates it at its first start")]
    }
    guard !folder.isFile else {
      return [Finding(.wrong, "data", "\(folder.path) is a file; name a folder that this user can write with --data")]
    }
    let parts = [folder.path, folder.path + "/incoming", folder.photos, folder.annotations, folder.database]
      .filter { FileManager.default.fileExists(atPath: $0) }
    if access(folder.path, W_OK) != 0, errno == EROFS {
      return [
        Finding(
          .wrong, "data",
          "\(folder.path) is on a read-only disk; mount it writable, or choose another folder with --data")
      ]
    }
    // The owner and the permissions of a folder that others use too, such as /tmp, must stay as they are.
    let other = (try? folder.contents())?.others.first
    let closed = parts.filter { access($0, R_OK | W_OK) != 0 }
    guard closed.isEmpty else {
      return closed.map { path in
        let isOwn = path != folder.path || other == nil && access(path, R_OK) == 0
        return Finding(
          .wrong, "data",
          "this user can't write \(path); run as the server's user, or "
            + (isOwn ? "change the owner: chown -R USER \(path)" : "choose another folder with --data"))
      }
    }
    let open = parts.first { ((Self.attributes(of: $0)[.posixPermissions] as? NSNumber)?.intValue ?? 0) & 0o077 != 0 }
    if open == folder.path, let other {
      return [
        Finding(
          .look, "data",
          "other users of this machine can list \(folder.path), which also contains other files (\(other)); choose a folder "
            + "for the server alone with --data")
      ]
    }
    if let open {
      return [Finding(.look, "data", "other users of this machine can read \(open); close it with: chmod go= \(open)")]
    }
    return [Finding(.ok, "data", "\(folder.path) is writable and private to this user")]
  }

  /// Checks that the disk has room for a day of photos, or at least for some.
  private func space() -> [Finding] {
    let path = FileManager.default.fileExists(atPath: folder.path) ? folder.path : "."
    guard let values = try? FileManager.default.attributesOfFileSystem(forPath: path),
      let free = (values[.systemFreeSize] as? NSNumber)?.int64Value
    else { return [Finding(.look, "space", "the disk's free space could not be determined")] }
    let text = "\(free >> 20) MB are free on the disk of \(path)"
    if free < Self.leastSpace {
      return [
        Finding(
          .wrong, "space", text + "; uploads and exports will be refused; free some space, or lower retention.photos")
      ]
    }
    let isLittle = free < Self.littleSpace
    return [Finding(isLittle ? .look : .ok, "space", text + (isLittle ? "; free some space soon" : ""))]
  }

  private static let leastSpace: Int64 = 256 << 20
  private static let littleSpace: Int64 = 2 << 30

  /// Checks that a reader process starts with the installed libraries.
  private func libraries() -> [Finding] {
    var findings: [Finding] = []
    do {
      _ = try SerialReader(ReaderSettings(settings))
      findings.append(Finding(.ok, "reader", "starts, with Tesseract \(TextEngine.libraryVersion)"))
    } catch {
      findings.append(
        Finding(.wrong, "reader", "\(error.detail) Install the missing packages (Tools/install-packages.sh)"))
    }
    findings += LibraryHooks.broken.map {
      Finding(.look, "libraries", "\($0) The installed library is another release than this program was built for")
    }
    if LibraryHooks.broken.isEmpty {
      findings.append(Finding(.ok, "libraries", "compatible with this program"))
    }
    return findings
  }

  /// Checks that the clock is set: retention and the times in exports depend on it.
  private func clock() -> [Finding] {
    let now = Date()
    let latest = try? DatabaseFile(path: folder.database).contents().latest
    let text = "it is \(now.formatted(.iso8601))"
    guard let later = [Self.madeAt, latest].compactMap({ $0 }).max(), later > now.addingTimeInterval(300) else {
      return [Finding(.ok, "clock", text)]
    }
    return [
      Finding(
        .wrong, "clock",
        text
          + ", earlier than existing data (\(later.formatted(.iso8601))); set it (timedatectl set-ntp true), or "
          + "photos and results expire too early or too late")
    ]
  }

  /// The modification time of this program's file.
  private static var madeAt: Date? {
    let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return attributes(of: path)[.modificationDate] as? Date
  }

  /// Checks that the limit of open files suffices for the configured number of connections.
  private func descriptors() -> [Finding] {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return [] }
    let most = Int(clamping: limit.rlim_max)
    guard most < settings.server.maxConnections + 200 else { return [] }
    return [
      Finding(
        .look, "descriptors",
        "the limit of \(most) open files is lower than server.max_connections (\(settings.server.maxConnections)) needs; "
          + "raise LimitNOFILE, or lower the setting")
    ]
  }

  /// Checks that the database is intact and has the current schema version.
  private func database() -> [Finding] {
    let file = DatabaseFile(path: folder.database)
    guard FileManager.default.fileExists(atPath: file.path) else {
      let lost = folder.hasPhotosAlone
      return [
        Finding(
          lost ? .wrong : .look, "database",
          lost
            ? StoreOpenError.photosWithoutDatabase(folder: folder.photos, path: file.path).description
            : "it does not exist yet; the server creates it at its first start")
      ]
    }
    do {
      let contents = try file.contents()
      try file.requireIntact()
      let text = "intact, with \(counted(contents.jobs, "job")) and \(counted(contents.serials, "serial"))"
      return contents.migration == DatabaseFile.newestMigration
        ? [Finding(.ok, "database", text)]
        : [
          Finding(.look, "database", text + "; the server keeps a copy and migrates it at its next start")
        ]
    } catch {
      return [Finding(.wrong, "database", "\(error)")]
    }
  }

  /// Checks that each job has its photo, and each photo its job.
  private func photos() -> [Finding] {
    guard let named = try? DatabaseFile(path: folder.database).photos() else { return [] }
    let missing = named.filter { !RegularFile.exists(at: "\(folder.path)/\($0)") }
    let strays = PhotoFiles.older(than: 3600, below: folder.path).subtracting(named)
    var findings: [Finding] = []
    if !missing.isEmpty {
      findings.append(
        Finding(
          .wrong, "photos",
          "\(missing.count) of \(named.count) are missing, such as \(missing[0]); their results stay. Restore them from a "
            + "backup with --photos"))
    }
    if !strays.isEmpty {
      findings.append(
        Finding(
          .look, "photos",
          "\(strays.count) belong to no job, such as \(strays.min() ?? ""): from interrupted uploads, or the database is an older "
            + "copy. They are kept for retention.photos"
        ))
    }
    return findings.isEmpty ? [Finding(.ok, "photos", "all \(named.count) exist")] : findings
  }

  /// Checks that the shared database responds, has the current schema version, and delivers notifications.
  private func sharedDatabase() -> [Finding] {
    guard let address = settings.store.url else { return [] }
    do {
      let contents = try PostgresStore.contents(of: address.text, listeningAt: settings.store.listenURL?.text)
      let text =
        "\(address) answers (PostgreSQL \(contents.serverVersion)), with "
        + "\(counted(contents.jobs, "job")) and \(counted(contents.serials, "serial"))"
      let drift = abs(contents.now.timeIntervalSinceNow)
      let clock = Finding(
        drift > 60 ? .look : .ok, "clock",
        drift > 60
          ? "this machine's clock and the database's are \(Int(exactly: drift.rounded()) ?? .max) s apart; leases use the database's, "
            + "logs this one: timedatectl set-ntp true"
          : "within a minute of the database's")
      guard contents.listens else {
        return [
          Finding(
            .wrong, "database",
            "\(text), but notifications do not arrive, as behind a pooler in transaction mode. Set "
              + "store.listen_url to the address of PostgreSQL itself"), clock,
        ]
      }
      return [Finding(.ok, "database", text), clock]
    } catch {
      return [Finding(.wrong, "database", "\(error)")]
    }
  }

  private static func attributes(of path: String) -> [FileAttributeKey: Any] {
    (try? FileManager.default.attributesOfItem(atPath: path)) ?? [:]
  }
}

/// The files below the photos folder.
enum PhotoFiles {
  /// Returns paths, relative to the data folder, of the files last changed more than `age` seconds ago. A newer file
  /// may belong to an upload that is still being stored.
  static func older(than age: TimeInterval, below data: String) -> Set<String> {
    let folder = "\(data)/photos"
    let limit = Date(timeIntervalSinceNow: -age)
    var names: Set<String> = []
    for part in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(part)")) ?? [] {
        let values = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(part)/\(name)")
        if let changed = values?[.modificationDate] as? Date, changed < limit { names.insert("photos/\(part)/\(name)") }
      }
    }
    return names
  }
}

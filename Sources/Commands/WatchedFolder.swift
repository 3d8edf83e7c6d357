import Dispatch
import Foundation
import Support

/// The files of a watched folder.
struct WatchedFolder: Sendable {
  /// The folder's path without a trailing slash.
  let path: String
  /// The watch's own files in the folder: its spreadsheet and its journal.
  var own: Set<String> = []

  /// Extensions of incomplete files in lower case, as browsers, phone sync and servers use them.
  private static let partial: Set<String> = [
    "part", "partial", "crdownload", "download", "opdownload", "filepart", "tmp", "temp", "swp",
  ]
  /// Files that file managers create.
  private static let foreign: Set<String> = ["thumbs.db", "desktop.ini"]

  /// Whether a name can be a photo's, and not that of an unfinished upload, which is renamed when it is complete.
  /// Excludes names that begin with a dot: hidden files, macOS's `._*`, and temporary files of rsync and Syncthing.
  static func isName(_ name: String) -> Bool {
    let lower = name.lowercased()
    return !name.hasPrefix(".") && !name.hasSuffix("~") && !partial.contains((lower as NSString).pathExtension)
      && !foreign.contains(lower)
  }

  /// Returns the regular files that may be photos, and the names of those that can't be opened because they are not
  /// UTF-8, with replaced characters. Blocks.
  func files() throws(WatchProblem) -> (files: [String: FileMark], misnamed: [String]) {
    guard let directory = opendir(path) else {
      let reason = String(cString: strerror(errno))
      throw WatchProblem(
        .surroundings,
        "\(path) can't be listed (\(reason)). Check that the folder exists, and is mounted if it is a share; retrying."
      )
    }
    defer { closedir(directory) }
    var (files, misnamed): ([String: FileMark], [String]) = ([:], [])
    errno = 0
    while let entry = readdir(directory) {
      defer { errno = 0 }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: UInt8.self, capacity: 256) { String(decodingCString: $0, as: UTF8.self) }
      }
      guard Self.isName(name), !own.contains(name) else { continue }
      if let mark = FileMark(path: path + "/" + name) {
        files[name] = mark
      } else if name.contains("\u{FFFD}"), entry.pointee.d_type == DT_REG {
        misnamed.append(name)
      }
    }
    guard errno == 0 else { throw .system("no photo is read", path) }
    return (files, misnamed.sorted())
  }

  /// Identifies the folder itself, because another one may be mounted at its path.
  var identity: FileIdentity? { FileIdentity(path: path) }

  /// Whether other machines can write to the folder over a network, which this machine's kernel does not report.
  var isOnNetwork: Bool {
    var status = stat()
    guard stat(path, &status) == 0, let mounts = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
    else { return false }
    let number = UInt64(clamping: status.st_dev)
    let major = number >> 8 & 0xFFF | number >> 32 & ~0xFFF
    let minor = number & 0xFF | number >> 12 & ~0xFF
    // proc_pid_mountinfo(5): the third field is the device number; the type follows a hyphen.
    return mounts.split(separator: "\n").contains { line in
      let fields = line.split(separator: " ")
      guard fields.count > 3, fields[2] == "\(major):\(minor)",
        let kind = fields.drop(while: { $0 != "-" }).dropFirst().first
      else { return false }
      return Self.networks.contains { kind.hasPrefix($0) }
    }
  }

  /// Prefixes of file system types that other machines write to, including sshfs and rclone (`fuse.…`) and those of
  /// virtual machines.
  private static let networks = ["nfs", "cifs", "smb", "fuse", "9p", "virtiofs", "afs", "ceph", "gluster", "davfs"]
}

/// Records how long each file has been unchanged.
struct Settling {
  /// The time without a change after which a writer that never reported closing (a lost event, a mapped file) is
  /// ignored.
  private static let writerPatience = Duration.seconds(60)

  /// How long a file must be unchanged to count as complete.
  let time: Duration
  private var seen: [String: (mark: FileMark, since: ContinuousClock.Instant)] = [:]

  init(time: Duration) { self.time = time }

  /// Returns the complete files, and how long until the next one may be complete. An empty file is never complete: it
  /// is about to be written.
  ///
  /// - Parameter writers: Names of files that are open for writing.
  mutating func whole(
    of files: [String: FileMark], writers: Set<String>, at now: ContinuousClock.Instant
  ) -> (names: [String], next: Duration?) {
    seen = seen.filter { files[$0.key] != nil }
    var names: [String] = []
    var next: Duration?
    for (name, mark) in files {
      if seen[name]?.mark != mark { seen[name] = (mark, now) }
      guard mark.size > 0, let since = seen[name]?.since else { continue }
      let left = (writers.contains(name) ? Self.writerPatience : time) - (now - since)
      if left <= .zero { names.append(name) } else { next = min(next ?? left, left) }
    }
    return (names.sorted { $0.compare($1, options: [.numeric, .caseInsensitive]) == .orderedAscending }, next)
  }
}

/// The kernel's notifications about a folder (inotify(7)): that something changed, and which files are open for
/// writing.
final class FolderNotices: @unchecked Sendable {
  // Unchecked because of the dispatch source, whose methods may be called from any thread.

  private struct State {
    var writers: Set<String> = []
    /// Whether the folder is gone, so that no more notifications come.
    var hasEnded = false
  }

  private let source: any DispatchSourceRead
  private let state = Locked(State())

  /// Starts listening; nil if the kernel does not support it for this folder.
  ///
  /// - Parameter changed: Called on a queue after each batch of notifications.
  init?(of path: String, changed: @escaping @Sendable () -> Void) {
    let descriptor = inotify_init1(O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    let mask = IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF
    guard inotify_add_watch(descriptor, path, UInt32(truncatingIfNeeded: mask | IN_ONLYDIR)) >= 0 else {
      close(descriptor)
      return nil
    }
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
    source.setCancelHandler { close(descriptor) }
    source.setEventHandler { [weak self] in
      guard let self else { return }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while case let count = read(descriptor, &buffer, buffer.count), count > 0 { parse(buffer.prefix(count)) }
      changed()
    }
    source.resume()
  }

  deinit { source.cancel() }

  /// Names of files that were written to and not closed since.
  var writers: Set<String> { state.withLock { $0.writers } }

  /// Whether the folder or its file system was removed.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  private func parse(_ bytes: ArraySlice<UInt8>) {
    // struct inotify_event: wd, mask, cookie, len, then the name padded with zeros.
    var rest = bytes
    while rest.count >= 16 {
      let numbers = (0..<4).map { word in
        rest.dropFirst(word * 4).prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(truncatingIfNeeded: $1) }
      }
      let length = Int(clamping: numbers[3])
      let name = String(decoding: rest.dropFirst(16).prefix(length).prefix { $0 != 0 }, as: UTF8.self)
      note(Int32(truncatingIfNeeded: numbers[1]), name)
      rest = rest.dropFirst(16 + length)
    }
  }

  private func note(_ mask: Int32, _ name: String) {
    state.withLock { state in
      if mask & IN_MODIFY != 0 {
        state.writers.insert(name)
      } else if mask & (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM) != 0 {
        state.writers.remove(name)
      } else if mask & IN_Q_OVERFLOW != 0 {
        state.writers = []
      }
      if mask & (IN_IGNORED | IN_UNMOUNT | IN_DELETE_SELF | IN_MOVE_SELF) != 0 { state.hasEnded = true }
    }
  }
}

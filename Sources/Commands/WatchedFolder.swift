import Dispatch
import Foundation
import Support

/// The files of a watched folder, and when they are whole.
struct WatchedFolder: Sendable {
  /// The folder without a slash at its end.
  let path: String
  /// Names in it that are the watch's own: of its spreadsheet and its list.
  var own: Set<String> = []

  /// Endings of files that are still on their way, in lower case: of browsers, of phones' sync, of servers.
  private static let partial: Set<String> = [
    "part", "partial", "crdownload", "download", "opdownload", "filepart", "tmp", "temp", "swp",
  ]
  /// What file managers leave.
  private static let foreign: Set<String> = ["thumbs.db", "desktop.ini"]

  /// Whether a name is one of a photo, and not of an upload that is under way: those get their names when they are whole.
  /// Names with a dot before them are hidden files, macOS's `._*`, and what rsync and Syncthing write.
  static func isName(_ name: String) -> Bool {
    let lower = name.lowercased()
    return !name.hasPrefix(".") && !name.hasSuffix("~") && !partial.contains((lower as NSString).pathExtension)
      && !foreign.contains(lower)
  }

  /// The regular files that may be photos. Blocks.
  func files() throws(WatchProblem) -> [String: FileMark] {
    guard let directory = opendir(path) else {
      let reason = String(cString: strerror(errno))
      throw WatchProblem(
        .surroundings,
        "\(path) can't be listed (\(reason)). Check that the folder exists, and is mounted if it is a share; it is tried again."
      )
    }
    defer { closedir(directory) }
    var files: [String: FileMark] = [:]
    errno = 0
    while let entry = readdir(directory) {
      defer { errno = 0 }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      guard let name, Self.isName(name), !own.contains(name), let mark = FileMark(path: path + "/" + name) else {
        continue
      }
      files[name] = mark
    }
    guard errno == 0 else { throw .system("no photo is read", path) }
    return files
  }

  /// Names the folder itself: another one may be mounted at its path.
  var identity: [UInt64]? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return [UInt64(clamping: status.st_dev), UInt64(clamping: status.st_ino)]
  }

  /// Whether others write into the folder by a network, of which this machine's kernel hears nothing.
  var isOnNetwork: Bool {
    var status = stat()
    guard stat(path, &status) == 0, let mounts = try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
    else { return false }
    let number = UInt64(clamping: status.st_dev)
    let major = number >> 8 & 0xFFF | number >> 32 & ~0xFFF
    let minor = number & 0xFF | number >> 12 & ~0xFF
    // proc_pid_mountinfo(5): the device's number is the third field, the kind follows a hyphen.
    return mounts.split(separator: "\n").contains { line in
      let fields = line.split(separator: " ")
      guard fields.count > 3, fields[2] == "\(major):\(minor)",
        let kind = fields.drop(while: { $0 != "-" }).dropFirst().first
      else { return false }
      return Self.networks.contains { kind.hasPrefix($0) }
    }
  }

  /// Beginnings of kinds of file systems that other machines write to: also of sshfs and rclone (`fuse.…`), of virtual machines.
  private static let networks = ["nfs", "cifs", "smb", "fuse", "9p", "virtiofs", "afs", "ceph", "gluster", "davfs"]
}

/// Says of each file since when it has not changed.
struct Settling {
  /// A writer of which no end was heard (a lost event, a mapped file) is given up after this time without a change.
  private static let writerPatience = Duration.seconds(60)

  /// How long a whole file has not changed.
  let time: Duration
  private var seen: [String: (mark: FileMark, since: ContinuousClock.Instant)] = [:]

  init(time: Duration) { self.time = time }

  /// The files that are whole, and how long until the next one may be. An empty file is not: it is about to be written.
  ///
  /// - Parameter writers: Names of files that are open to write.
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

/// What the kernel says of a folder (inotify(7)): that something changed, and which files are open to write.
final class FolderNotices: @unchecked Sendable {
  // Unchecked for the source, whose calls may come from any thread.

  private struct State {
    var writers: Set<String> = []
    /// Whether the folder is gone, so that no more will be said.
    var hasEnded = false
  }

  private let source: any DispatchSourceRead
  private let state = Locked(State())

  /// Listens from now on; nil where the kernel does not listen for this folder.
  ///
  /// - Parameter changed: Called after each batch of notices, on a queue.
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
      while case let count = read(descriptor, &buffer, buffer.count), count > 0 { take(buffer.prefix(count)) }
      changed()
    }
    source.resume()
  }

  deinit { source.cancel() }

  /// Names of files that were written to and not closed since.
  var writers: Set<String> { state.withLock { $0.writers } }

  /// Whether the folder was taken away, or its file system.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  private func take(_ bytes: ArraySlice<UInt8>) {
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

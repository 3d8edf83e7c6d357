import Foundation
import JobStore
import Support

/// The durable list of the photos that a watch has finished: one line of JSON per photo, on disk before the photo is
/// moved.
///
/// A photo counts as read once its line is written. If the program is killed before, the photo stays in place, and the
/// store or the server recognizes it by its key and returns the same job. If it is killed after, only the move remains.
final class WatchJournal: Sendable {
  /// What is recorded about a photo.
  struct Entry: Codable, Sendable {
    var name: String
    var file: FileMark
    /// The SHA-256 of the bytes; nil for a file that is too large to be read.
    var digest: String?
    var isUnreadable = false
    /// The photo's rows in the spreadsheet; nil if an earlier entry with the same bytes has them.
    var rows: [SavedSerial]?
    /// The photo's only row, as earlier versions wrote it.
    var row: SavedSerial?
  }

  private struct State {
    var marks: [String: FileMark] = [:]
    /// Whether the bytes with a digest were unreadable.
    var digests: [String: Bool] = [:]
    var rows: [SavedSerial] = []
    var size = 0
  }

  let path: String
  private let descriptor: CInt
  private let state = Locked(State())

  /// Opens the list, creates it if it is missing, and removes a line truncated by a kill. Blocks.
  init(path: String) throws(WatchProblem) {
    self.path = path
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system("the list of photos that were read can't be kept", path) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw WatchProblem(
        .surroundings, "Another `serialscan watch` uses \(path): stop it, or choose another --journal.")
    }
    try load()
    try Self.sync(folder: folder)
  }

  deinit { close(descriptor) }

  /// Whether the file with this name is finished in its current state.
  func knows(_ name: String, _ mark: FileMark) -> Bool { state.withLock { $0.marks[name] == mark } }

  /// Whether the photo with these bytes was unreadable; nil if it was not seen before.
  func wasUnreadable(_ digest: String) -> Bool? { state.withLock { $0.digests[digest] } }

  /// The photos' rows, in the order in which they were read.
  var rows: [SavedSerial] { state.withLock { $0.rows } }

  /// Writes a line. It is on disk on return; it is not there if this throws. Blocks.
  func append(_ entry: Entry) throws(WatchProblem) {
    guard var line = try? JSONEncoder().encode(entry) else {
      throw WatchProblem(.photo, "\(entry.name) can't be marked as read: its row can't be written as JSON.")
    }
    line.append(UInt8(ascii: "\n"))
    let bytes = [UInt8](line)
    try state.withLock { (state: inout State) throws(WatchProblem) -> Void in
      var written = 0
      while written < bytes.count {
        let count = bytes.withUnsafeBytes {
          pwrite(
            descriptor, $0.baseAddress?.advanced(by: written), bytes.count - written, state.size + written)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw undone(state.size) }
        written += count
      }
      WatchPoint.watchRecording.reached()
      guard fdatasync(descriptor) == 0 else { throw undone(state.size) }
      state.size += bytes.count
      Self.apply(entry, to: &state)
    }
  }

  private func undone(_ size: Int) -> WatchProblem {
    let problem = WatchProblem.system("the photo can't be marked as read and stays where it is", path)
    _ = ftruncate(descriptor, size)
    return WatchProblem(.surroundings, problem.sentence)
  }

  private func load() throws(WatchProblem) {
    guard let content = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
      throw .system("the list of photos that were read can't be read", path, EIO)
    }
    try state.withLock { (state: inout State) throws(WatchProblem) -> Void in
      for line in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
        guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(line)) else {
          throw WatchProblem(
            .surroundings,
            "\(path) is damaged at byte \(state.size). Restore a copy, or move it away to read every photo again."
          )
        }
        Self.apply(entry, to: &state)
        state.size += line.count + 1
      }
      guard ftruncate(descriptor, state.size) == 0 else { throw .system("it can't be repaired", path) }
    }
  }

  private static func apply(_ entry: Entry, to state: inout State) {
    state.marks[entry.name] = entry.file
    if let digest = entry.digest { state.digests[digest] = entry.isUnreadable }
    for var row in entry.rows ?? [entry.row].compactMap(\.self) {
      row.id = Int64(clamping: state.rows.count + 1)
      state.rows.append(row)
    }
  }

  /// Makes a folder's entries durable.
  static func sync(folder: String) throws(WatchProblem) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("nothing can be kept there", folder) }
    defer { close(descriptor) }
    // Some network shares don't support this and report EINVAL.
    guard fsync(descriptor) == 0 || errno == EINVAL || errno == EBADF else {
      throw .system("nothing can be kept there", folder)
    }
  }
}

import CChildProcess
import Foundation

/// What a child lays off before it sees a byte of anybody's.
enum Confinement {
  /// Names the variable with what the child may read beside the system's libraries, a path a line.
  static let readablePathsVariable = "CHILD_READABLE_PATHS"

  /// Lays off what decoding and OCR never need. An older kernel without it still works, and the parent is told.
  ///
  /// Call before starting threads: only later threads inherit the restrictions.
  static func begin() {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 1
    // A sanitizer has a thread of its own.
    if threads > 1, child_limits_address_space() { warn("\(threads) threads began before it was confined") }
    let list = ProcessInfo.processInfo.environment[readablePathsVariable] ?? ""
    let readable = list.split(separator: "\n").map(String.init)
    let files = withCStrings(readable) { paths in
      paths.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: readable.count + 1) {
        child_confine_files($0)
      }
    }
    let rights = child_drop_rights()
    guard files != 0 || rights != 0 else { return }
    warn("runs less confined: Landlock \(files), seccomp \(rights)")
  }

  private static func warn(_ text: String) {
    _ = Array("\(text)\n".utf8).withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }
}

import CChildProcess
import Foundation

/// Restrictions that a child applies to itself before it receives untrusted bytes.
enum Confinement {
  /// Gives up permissions that decoding and OCR never need. On an older kernel without these features, the child runs
  /// with fewer restrictions and warns the parent.
  ///
  /// Call before starting threads: only later threads inherit the restrictions.
  static func begin() {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 1
    // A sanitizer starts its own thread.
    if threads > 1, child_limits_address_space() {
      warn("less confined: \(threads) threads started before confinement")
    }
    let files = child_confine_files()
    let rights = child_drop_rights()
    guard files != 0 || rights != 0 else { return }
    warn("less confined: errno \(files) of Landlock, \(rights) of seccomp (0: it works); see docs/threat_model.md")
  }

  private static func warn(_ text: String) {
    _ = Array("\(text)\n".utf8).withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }
}

import Foundation
import Logging
import Settings

/// The limit on this process's open files and connections.
enum OpenFiles {
  /// More than any server needs; systems without a limit would report billions.
  private static let most: rlim_t = 1_048_576

  /// Raises the limit as far as the system allows, usually far above its initial value, and returns it.
  static func raiseLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    let wanted = min(limit.rlim_max, most)
    if limit.rlim_cur < wanted {
      var raised = rlimit(rlim_cur: wanted, rlim_max: limit.rlim_max)
      if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// Returns how many connections can be open while leaving enough files for photos, readers and the database.
  static func connections(_ settings: Settings, limit: Int, logger: Logger) -> Int {
    // A reader has three pipes and its replacement starts while it still runs; an upload has one file. The remaining
    // 128 are for the database, its readers and logs, folders, reports and threads.
    let reserve = 128 + settings.server.maxUploads + 8 * settings.workers
    let granted = max(16, limit - reserve)
    guard granted < settings.server.maxConnections else { return settings.server.maxConnections }
    logger.notice(
      """
      the limit of \(limit) open files allows fewer connections than server.max_connections; raise it with \
      `ulimit -n` or LimitNOFILE=
      """,
      metadata: ["connections": .stringConvertible(granted)])
    return granted
  }
}

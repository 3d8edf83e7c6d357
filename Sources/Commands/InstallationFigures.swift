import Foundation
import Support

/// What a monitoring system wants to know of the installation: which version runs since when, and what room is left.
struct InstallationFigures: Sendable {
  let folder: DataFolder
  private let startedAt = Date()

  init(folder: DataFolder) { self.folder = folder }

  /// As found now; what can't be told is left out.
  var samples: [MetricSample] {
    var samples = [
      MetricSample(
        "serialscan_build_info", help: "1, with the version that runs.", labels: ["version": VersionCommand.version],
        .gauge(1)),
      MetricSample(
        "process_start_time_seconds", help: "When the server started, in seconds since 1970.",
        .gauge(startedAt.timeIntervalSince1970.rounded())),
    ]
    if let disk = try? FileManager.default.attributesOfFileSystem(forPath: folder.path) {
      samples += [
        Self.bytes("serialscan_disk_free_bytes", "Room left on the disk of the data folder.", disk[.systemFreeSize]),
        Self.bytes("serialscan_disk_size_bytes", "Size of the disk of the data folder.", disk[.systemSize]),
      ].compactMap { $0 }
    }
    // The log counts: it holds what is not yet in the database itself.
    let files = [folder.database, folder.database + "-wal"].compactMap {
      (try? FileManager.default.attributesOfItem(atPath: $0)[.size]) as? NSNumber
    }
    if !files.isEmpty {
      let size = files.reduce(0.0) { $0 + $1.doubleValue }
      samples.append(
        MetricSample("serialscan_database_bytes", help: "Size of the database in the data folder.", .gauge(size)))
    }
    return samples
  }

  private static func bytes(_ name: String, _ help: String, _ value: Any?) -> MetricSample? {
    (value as? NSNumber).map { MetricSample(name, help: help, .gauge($0.doubleValue)) }
  }
}

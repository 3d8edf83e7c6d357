import Foundation
import Support

/// Metrics of the installation: version, start time and free space.
struct InstallationFigures: Sendable {
  let folder: DataFolder
  private let startedAt = Date()

  init(folder: DataFolder) { self.folder = folder }

  /// The current values; unknown ones are left out.
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
    // The write-ahead log counts too: it holds changes that are not yet in the database file.
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

import Foundation

/// All data of a server. Callers can't tell which implementation they use.
public protocol ServerStore: JobWatching, JobListing, SerialStore, SerialCorrecting, KeyStore, TaskStore, WebhookStore,
  ModelCodeStore, DeviceStore, BatchStore
{
  /// The photos and other files.
  var blobs: any BlobStore { get }

  /// Returns the thumbnail of a job's photo, a JPEG; nil if it has none, or it was deleted.
  func thumbnail(ofJob id: String) async throws -> [UInt8]?

  /// Writes a small record as a health check. Throws the `StoreError` that a new job would meet.
  func checkWritable() async throws

  /// Runs maintenance, about once a minute while a server runs: truncates a log, retries file deletions that failed.
  func maintain() async throws

  /// Deletes photos and annotations older than `age` seconds that belong to no job.
  ///
  /// They remain after a crash between storing a photo and its row, or after an older copy of the database was
  /// restored. Checks every photo, so call this at startup.
  @discardableResult
  func removeOrphans(olderThan age: TimeInterval) async throws -> Orphans

  /// Closes the store; later calls fail.
  func close() async throws
}

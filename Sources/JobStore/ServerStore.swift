import Foundation

/// Everything that a server keeps, as one opening of a store. Whoever asks can't tell which store it is.
public protocol ServerStore: JobWatching, JobListing, SerialStore, SerialCorrecting, KeyStore, TaskStore, WebhookStore,
  ModelCodeStore
{
  /// The photos and other files that belong to the rows.
  var blobs: any BlobStore { get }

  /// Writes something small, for a health check: throws the `StoreError` that a new job would meet.
  func checkWritable() async throws

  /// Upkeep that has to be done every minute or so while a server runs: cutting a log, another try at the files that
  /// could not be deleted.
  func maintain() async throws

  /// Deletes photos and pictures older than `age` seconds that belong to no job: a crash between a photo and its row has
  /// left them, or their rows are lost, as where an older copy of a database was put back. Looks at every photo: to be
  /// called at the start.
  @discardableResult
  func removeOrphans(olderThan age: TimeInterval) async throws -> Orphans

  /// Ends the opening; calls after it fail.
  func close() async throws
}

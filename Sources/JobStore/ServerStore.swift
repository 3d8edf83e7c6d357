/// Everything that a server keeps, as one opening of a store. Whoever asks can't tell which store it is.
public protocol ServerStore: JobWatching, JobListing, SerialStore, SerialCorrecting, KeyStore, TaskStore {
  /// Writes something small, for a health check: throws the `StoreError` that a new job would meet.
  func checkWritable() async throws

  /// Upkeep that has to be done every minute or so while a server runs, such as cutting a log.
  func maintain() async throws

  /// Ends the opening; calls after it fail.
  func close() async throws
}

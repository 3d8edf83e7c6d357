/// A point in a job's life at which a test can end the program, to show that no data is lost.
///
/// `enqueuing`, `claiming` and the like are inside a transaction, after its changes and before its commit; `enqueued`,
/// `claimed` and the like are after the commit, before anyone is notified. `docs/architecture.md` shows where each
/// point is between a job's states.
///
/// Points do nothing in the server itself: only a test's own executable calls `arm`.
package enum FaultPoint: String, CaseIterable, Sendable {
  // Accepting a photo.

  /// The upload has a file in `incoming/`, but not all of its bytes.
  case uploadBegun
  /// All bytes are in the file, but not necessarily on the disk.
  case photoWritten
  /// The bytes are on the disk, under the upload's temporary name.
  case photoSynced
  /// The photo has its permanent name, which is not necessarily on the disk.
  case photoRenamed
  /// Photo and name are on the disk; no job refers to them.
  case photoStored
  /// The job's row is inserted.
  case enqueuing
  /// The job is durable; the client has received no response.
  case enqueued

  // Reading it.

  /// A worker's token is in the row.
  case claiming
  /// A worker holds the job; its reader has not received it.
  case claimed
  /// The reader has been given the photo.
  case photoHanded
  /// Lease and progress are updated in the row.
  case extending
  /// The lease is extended.
  case extended
  /// The reader has answered; nothing of the answer is stored.
  case answerTaken
  /// A reader was found dead while reading a photo.
  case readerLost

  // Ending it.

  /// The result is in the row; the serial is not yet saved.
  case completing
  /// Result and serial are written.
  case saving
  /// The job has completed; its waiters are not notified.
  case completed
  /// The row records that the photo has no serial.
  case refusing
  /// The job has ended without a serial.
  case refused
  /// The row records why the photo could not be read.
  case failing
  /// The job has failed permanently.
  case failed
  /// A waiting job is failed because its client disconnected.
  case cancelling
  /// The waiting job is cancelled.
  case cancelled

  // Returning it to the queue.

  /// The row is queued again after a failed attempt.
  case retrying
  /// The job waits for its next attempt.
  case retried
  /// The row is queued again because the server stops.
  case givingBack
  /// The job is given back without counting the attempt.
  case givenBack
  /// Jobs of a dead server are queued again.
  case reclaiming
  /// Jobs whose lease expired are queued again, or fail.
  case rescuing
  /// One of them is failed after being abandoned too often.
  case givingUp
  /// The rescue is durable; no worker was woken.
  case rescued

  // Deleting it.

  /// The row is deleted and its photo remembered for deletion.
  case deleting
  /// The job is deleted; its photo still exists.
  case deleted
  /// Expired photos are remembered for deletion.
  case pruningPhotos
  /// The jobs no longer refer to those photos, which still exist.
  case photosPruned
  /// Rows of expired jobs are deleted and their photos remembered for deletion.
  case pruningJobs
  /// Those jobs are deleted; their photos still exist.
  case jobsPruned
  /// A photo's file is deleted, but still remembered for deletion.
  case photoRemoved
  /// The photo is no longer remembered, before the commit.
  case forgettingPhoto
  /// Nothing remains of the photo.
  case photoForgotten

  private static let handler = Locked<(@Sendable (FaultPoint) -> Void)?>(nil)

  /// Calls `handler` whenever a point is reached, on the thread that reaches it.
  ///
  /// For tests' executables; call it before the program itself starts.
  package static func arm(_ handler: @escaping @Sendable (FaultPoint) -> Void) {
    Self.handler.withLock { $0 = handler }
  }

  /// Reports that the program has reached this point; does nothing unless a test has armed the points.
  package func reached() {
    Self.handler.withLock { $0 }?(self)
  }
}

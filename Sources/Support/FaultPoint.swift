/// A moment on a job's way at which a test may end the program, to show that nothing is lost there.
///
/// `enqueuing`, `claiming` and the like stand inside a transaction, after its changes and before its commit; `enqueued`,
/// `claimed` and the like after the commit, before anybody is told. `docs/architecture.md` shows where each lies between
/// a job's states.
///
/// The program that is served names these moments and does nothing at them: only a test's own executable calls `arm`.
package enum FaultPoint: String, CaseIterable, Sendable {
  // Accepting a photo.

  /// The upload has a file in `incoming/`, with not all of its bytes.
  case uploadBegun
  /// All bytes are in the file, none of them certain to be on the disk.
  case photoWritten
  /// The bytes are on the disk, under the name of an upload.
  case photoSynced
  /// The photo has its name, which is not certain to be on the disk.
  case photoRenamed
  /// Photo and name are on the disk; no job knows of them.
  case photoStored
  /// The job's row is inserted.
  case enqueuing
  /// The job is durable; the client has no answer.
  case enqueued

  // Reading it.

  /// A worker's token is in the row.
  case claiming
  /// A worker holds the job; its reader knows nothing.
  case claimed
  /// The reader has been given the photo.
  case photoHanded
  /// Lease and progress are longer in the row.
  case extending
  /// The lease is extended.
  case extended
  /// The reader has answered, and nothing of it is stored.
  case answerTaken
  /// A reader was found dead in the middle of a photo.
  case readerLost

  // Ending it.

  /// The result is in the row; the serial is in no table.
  case completing
  /// Result and serial are written.
  case saving
  /// The job has completed; nobody who waits for it knows.
  case completed
  /// The row says that the photo shows no serial.
  case refusing
  /// The job has ended without a serial.
  case refused
  /// The row says why the photo could not be read.
  case failing
  /// The job has failed for good.
  case failed
  /// A waiting job is failed because its client is gone.
  case cancelling
  /// The waiting job is cancelled.
  case cancelled

  // Putting it back.

  /// The row waits again after a failed attempt.
  case retrying
  /// The job waits for its next attempt.
  case retried
  /// The row waits again because the server stops.
  case givingBack
  /// The job is given back without blame.
  case givenBack
  /// Jobs of a server that is gone wait again.
  case reclaiming
  /// Jobs whose lease ran out wait again, or fail.
  case rescuing
  /// One of them is failed, having been left too often.
  case givingUp
  /// The rescue is durable; no worker was woken.
  case rescued

  // Taking it away.

  /// The row is deleted, and its photo noted for removal.
  case deleting
  /// The job is deleted; its photo lies there.
  case deleted
  /// Photos past their time are noted for removal.
  case pruningPhotos
  /// Those photos are given up and lie there.
  case photosPruned
  /// Rows of jobs past their time are deleted, and their photos noted for removal.
  case pruningJobs
  /// Those jobs are gone; their photos lie there.
  case jobsPruned
  /// A photo's file is gone, and still noted for removal.
  case photoRemoved
  /// The note is taken away.
  case forgettingPhoto
  /// Nothing is left of the photo.
  case photoForgotten

  private static let handler = Locked<(@Sendable (FaultPoint) -> Void)?>(nil)

  /// Calls `handler` whenever a point is reached, on the thread that reaches it. For tests' executables, before the
  /// program proper begins.
  package static func arm(_ handler: @escaping @Sendable (FaultPoint) -> Void) {
    Self.handler.withLock { $0 = handler }
  }

  /// Says that the program has come here; nothing happens unless a test has armed the points.
  package func reached() {
    Self.handler.withLock { $0 }?(self)
  }
}

import ScanModel

/// The latest progress of one read, passed from the reader's thread to the heartbeat; earlier steps that nobody has
/// fetched yet are dropped.
struct ProgressSteps: Sendable {
  private let stream: AsyncStream<ReadProgress>
  private let continuation: AsyncStream<ReadProgress>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Puts the newest step.
  func put(_ step: ReadProgress) { continuation.yield(step) }

  /// No more steps come.
  func finish() { continuation.finish() }

  /// The steps, for one consumer.
  var all: AsyncStream<ReadProgress> { stream }
}

import ScanModel

/// A read's latest progress, passed from the reader's thread to the heartbeat. Earlier steps not yet consumed are
/// dropped.
struct ProgressSteps: Sendable {
  private let stream: AsyncStream<ReadProgress>
  private let continuation: AsyncStream<ReadProgress>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds the latest step.
  func put(_ step: ReadProgress) { continuation.yield(step) }

  /// Ends the stream of steps.
  func finish() { continuation.finish() }

  /// The steps, for one consumer.
  var all: AsyncStream<ReadProgress> { stream }
}

import Foundation
import ReaderProtocol

/// The talk with one child from its start to its end. Used by one thread only.
final class ReaderSession {
  /// What waiting for the child brought.
  enum Event {
    case answer(ReaderAnswer, attachment: [UInt8])
    /// The child said what no reader says.
    case violation(String)
    /// The child closed its end or died.
    case ended
    /// The deadline is over.
    case timedOut
    /// Somebody wants something of the thread.
    case woken
    /// Some time went by: a moment to look at the child's memory.
    case paused
  }

  /// How often the child's memory is looked at.
  private static let pause: Duration = .milliseconds(100)
  /// As much of what the child prints is kept.
  private static let keptErrorBytes = 2_000

  private let child: ChildProcess
  private let wake: WakePipe
  private let clock = ContinuousClock()
  private var frames: FrameBuffer
  private var unsent: [ArraySlice<UInt8>] = []
  private var printed: [UInt8] = []
  private var hasEnded = false

  /// Starts a child; throws a `POSIXError`.
  init(configuration: ReaderConfiguration, wake: WakePipe) throws {
    child = try ChildProcess(configuration)
    frames = FrameBuffer(FrameLimits(attachment: configuration.largestAnnotation))
    self.wake = wake
  }

  /// The child's process id.
  var processID: Int32 { child.processID }

  /// Whether the child said more than it was asked.
  var hasLeftovers: Bool { !frames.isEmpty || !unsent.isEmpty || hasEnded }

  /// Bytes of memory the child holds.
  func residentBytes() -> UInt64 { child.residentBytes() }

  /// Lets the child run after others.
  func lowerPriority(by niceness: Int32) { child.lowerPriority(by: niceness) }

  /// Seconds of processor time the child has used so far.
  func processorSeconds() -> Double { child.processorSeconds() }

  /// Sends a question; what the pipe does not take at once goes out while `wait` waits.
  func ask(_ question: ReaderQuestion, photo: [UInt8]) throws {
    printed = []
    let frame = Frame(message: try JSONEncoder().encode(question), attachment: photo)
    unsent += [(frame.header + frame.message)[...], photo[...]]
    send()
  }

  /// Waits for the next event. An answer that is there is given before the deadline is looked at, so that a server
  /// that was suspended does not throw away what was read meanwhile.
  func wait(until deadline: ContinuousClock.Instant) -> Event {
    if let event = nextFrame() { return event }
    let now = clock.now
    if hasEnded { return .ended }
    let isLast = now.advanced(by: Self.pause) >= deadline
    let left = isLast ? now.duration(to: deadline) : Self.pause
    let wakening = child.wait(
      seconds: Double(left.components.seconds) + Double(left.components.attoseconds) / 1e18, wake: wake.descriptor,
      forWriting: !unsent.isEmpty)
    if wakening.canWrite { send() }
    if wakening.canRead { receive() }
    if let event = nextFrame() { return event }
    if wakening.wasWoken { return .woken }
    // A process that the child has started may hold the pipe open after the child's death.
    if hasEnded { return .ended }
    if child.hasEnded() {
      receive()
      return nextFrame() ?? .ended
    }
    return clock.now >= deadline ? .timedOut : .paused
  }

  /// What the child printed last, as the end of a sentence; empty where it printed nothing.
  func lastWords() -> String {
    keepPrinted(child.readErrors())
    let lines = String(decoding: printed, as: UTF8.self).split(separator: "\n").suffix(3)
    let text = lines.joined(separator: " | ").filter { !$0.isNewline && $0 != "\0" }
    return text.isEmpty ? "" : " (\(text))"
  }

  /// Gives a child that is ending a moment to do so.
  func awaitEnd() { child.waitForEnd(seconds: 0.2) }

  /// Ends the child.
  func end() -> ChildProcess.Ending { child.end() }

  private func send() {
    while let piece = unsent.first {
      guard let count = child.write(piece) else {
        // The child no longer reads; that it is gone shows at its other end.
        unsent = []
        return
      }
      guard count == piece.count else {
        unsent[0] = piece.dropFirst(count)
        return
      }
      unsent = Array(unsent.dropFirst())
    }
  }

  private func receive() {
    keepPrinted(child.readErrors())
    let (bytes, ended) = child.readAnswers()
    frames.append(bytes)
    hasEnded = hasEnded || ended
  }

  private func keepPrinted(_ bytes: [UInt8]) {
    printed = (printed + bytes).suffix(Self.keptErrorBytes)
  }

  private func nextFrame() -> Event? {
    do {
      guard let frame = try frames.next() else { return nil }
      return .answer(
        try JSONDecoder().decode(ReaderAnswer.self, from: frame.message), attachment: frame.attachment)
    } catch let error as FrameTooLarge {
      return .violation("It sent a frame of \(error.length) bytes.")
    } catch {
      return .violation("It sent something that is no answer.")
    }
  }
}

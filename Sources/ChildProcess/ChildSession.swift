import Foundation

/// The talk with one child from its start to its end. Used by one thread only.
final class ChildSession<Dialogue: ChildDialogue> {
  /// What a child says.
  typealias Word = ChildWord<Dialogue.Step, Dialogue.Answer>

  /// What waiting for the child brought.
  enum Event {
    case said(Word, attachment: [UInt8])
    /// The child said what no child says.
    case violation(Implausible)
    /// The child closed its end or died.
    case ended
    /// The deadline is over.
    case timedOut
    /// Somebody wants something of the thread.
    case woken
    /// Some time went by: a moment to look at the child's memory.
    case paused
  }

  private let child: Child
  private let wake: WakePipe
  private let clock = ContinuousClock()
  private var frames: FrameBuffer
  private var unsent: [ArraySlice<UInt8>] = []
  private var printed: [UInt8] = []
  private var bytesSaid = 0
  private var hasEnded = false

  /// How often the child's memory is looked at.
  private var pause: Duration { .milliseconds(100) }
  /// As much of what the child prints is kept.
  private var keptErrorBytes: Int { 2_000 }

  /// Starts a child and sends its setup; throws a `POSIXError` or an `EncodingError`.
  init(setup: Dialogue.Setup, configuration: ChildConfiguration, wake: WakePipe) throws {
    let first = Frame(message: try JSONEncoder().encode(setup))
    child = try Child(configuration)
    frames = FrameBuffer(FrameLimits(attachment: configuration.largestAttachment))
    self.wake = wake
    unsent = first.pieces
    send()
  }

  /// The child's process id.
  var processID: Int32 { child.processID }

  /// Whether the child said more than it was asked, or has ended.
  func hasSpokenUnasked() -> Bool {
    receive()
    return !frames.isEmpty || !unsent.isEmpty || hasEnded
  }

  /// Bytes of memory the child holds.
  func residentBytes() -> UInt64 { child.residentBytes() }

  /// Lets the child run after others.
  func lowerPriority(by niceness: Int32) { child.lowerPriority(by: niceness) }

  /// Seconds of processor time the child has used so far.
  func processorSeconds() -> Double { child.processorSeconds() }

  /// Sends a question; what the pipe does not take at once goes out while `wait` waits.
  func ask(_ question: NumberedQuestion<Dialogue.Question>, attachment: [UInt8]) throws {
    printed = []
    bytesSaid = 0
    unsent += Frame(message: try JSONEncoder().encode(question), attachment: attachment).pieces
    send()
  }

  /// Waits for the next event. What is there is given before the deadline is looked at, so that a server that was
  /// suspended does not throw away what was answered meanwhile; how much can be there is bounded.
  func wait(until deadline: ContinuousClock.Instant) -> Event {
    if let event = nextFrame() { return event }
    let now = clock.now
    if hasEnded { return .ended }
    let isLast = now.advanced(by: pause) >= deadline
    let left = isLast ? now.duration(to: deadline) : pause
    let wakening = child.wait(seconds: left / .seconds(1), wake: wake.descriptor, forWriting: !unsent.isEmpty)
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
    let text = lines.joined(separator: " | ").filter { !$0.isControl }
    return text.isEmpty ? "" : " (\(text))"
  }

  /// Gives a child that is ending a moment to do so.
  func awaitEnd() { child.waitForEnd(seconds: 0.2) }

  /// Ends the child; returns how it ended, and the seconds of processor time that it had used.
  func end() -> (ending: Child.Ending, processorSeconds: Double) { child.end() }

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
    printed = (printed + bytes).suffix(keptErrorBytes)
  }

  private func nextFrame() -> Event? {
    do {
      guard let frame = try frames.next() else { return nil }
      bytesSaid += Frame.headerSize + frame.message.count
      guard bytesSaid <= FrameLimits.talk else { throw Implausible("It said more than \(FrameLimits.talk) bytes.") }
      return .said(try JSONDecoder().decode(Word.self, from: frame.message), attachment: frame.attachment)
    } catch let error as Implausible {
      return .violation(error)
    } catch {
      return .violation(Implausible("It sent something that is no answer."))
    }
  }
}

extension Character {
  fileprivate var isControl: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}

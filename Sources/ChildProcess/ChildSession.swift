import Foundation

/// The communication with one child from its start to its end. Used by one thread only.
final class ChildSession<Dialogue: ChildDialogue> {
  /// A message from the child.
  typealias Word = ChildWord<Dialogue.Step, Dialogue.Answer>

  /// An event while waiting for the child.
  enum Event {
    case said(Word, attachment: [UInt8])
    /// The child sent an implausible message.
    case violation(Implausible)
    /// The child closed its end of the pipe or died.
    case ended
    /// The deadline has passed.
    case timedOut
    /// Another thread woke this one.
    case woken
    /// Time has passed; check the child's memory.
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

  /// Interval between checks of the child's memory.
  private var pause: Duration { .milliseconds(100) }
  /// Maximum bytes kept of the child's standard error output.
  private var keptErrorBytes: Int { 2_000 }

  /// Starts a child and sends its setup. Throws a `POSIXError` or an `EncodingError`.
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

  /// Whether the child sent an unrequested message or has ended.
  func hasSpokenUnasked() -> Bool {
    receive()
    return !frames.isEmpty || !unsent.isEmpty || hasEnded
  }

  /// The child's resident memory in bytes.
  func residentBytes() -> UInt64 { child.residentBytes() }

  /// Increases the child's niceness, so that it runs after other processes.
  func lowerPriority(by niceness: Int32) { child.lowerPriority(by: niceness) }

  /// Seconds of CPU time that the child has used.
  func processorSeconds() -> Double { child.processorSeconds() }

  /// Sends a question. `wait` sends what the pipe does not accept immediately.
  func ask(_ question: NumberedQuestion<Dialogue.Question>, attachment: [UInt8]) throws {
    printed = []
    bytesSaid = 0
    unsent += Frame(message: try JSONEncoder().encode(question), attachment: attachment).pieces
    send()
  }

  /// Waits for the next event.
  ///
  /// Received messages are returned before the deadline is checked, so that a server that was suspended does not
  /// discard answers that arrived meanwhile. Their amount is bounded.
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
    // A process started by the child may keep the pipe open after the child's death.
    if hasEnded { return .ended }
    if child.hasEnded() {
      receive()
      return nextFrame() ?? .ended
    }
    return clock.now >= deadline ? .timedOut : .paused
  }

  /// The child's last standard error output, as the end of a sentence; empty if there is none.
  func lastWords() -> String {
    keepPrinted(child.readErrors())
    let lines = String(decoding: printed, as: UTF8.self).split(separator: "\n").suffix(3)
    let text = lines.joined(separator: " | ").filter { !$0.isControl }
    return text.isEmpty ? "" : " (\(text))"
  }

  /// Waits briefly for a child that is exiting.
  func awaitEnd() { child.waitForEnd(seconds: 0.2) }

  /// Kills the child. Returns how it ended, and the seconds of CPU time it had used.
  func end() -> (ending: Child.Ending, processorSeconds: Double) { child.end() }

  private func send() {
    while let piece = unsent.first {
      guard let count = child.write(piece) else {
        // The child no longer reads; its other pipe shows that it is gone.
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
      guard bytesSaid <= FrameLimits.talk else { throw Implausible("It sent more than \(FrameLimits.talk) bytes.") }
      return .said(try JSONDecoder().decode(Word.self, from: frame.message), attachment: frame.attachment)
    } catch let error as Implausible {
      return .violation(error)
    } catch {
      return .violation(Implausible("It sent an invalid answer."))
    }
  }
}

extension Character {
  fileprivate var isControl: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}

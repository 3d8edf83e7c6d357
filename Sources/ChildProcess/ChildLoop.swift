import CChildProcess
import Foundation

/// The child's side of a dialogue. A hidden subcommand of the executable runs it.
public enum ChildLoop<Dialogue: ChildDialogue> {
  /// Answers the parent's questions until the parent is gone. Never returns, and ends without exit handlers: C++
  /// destructors would run while engines are still in use.
  ///
  /// - Parameters:
  ///   - prepare: Warms up. The error it throws is reported to the operator.
  ///   - answer: Answers one question with an attachment, on the calling thread. The bytes it returns are the answer's
  ///     attachment.
  public static func run<Prepared>(
    prepare: (Dialogue.Setup) throws -> Prepared,
    answer: (
      Prepared, Dialogue.Question, _ attachment: [UInt8], _ step: @escaping (Dialogue.Step) -> Void
    ) -> (Dialogue.Answer, attachment: [UInt8])
  ) -> Never {
    let output = ChildOutput<Dialogue>()
    ignoreSignalsOfTheTerminal()
    child_exit_when_out_of_memory()
    child_bind_to_parent()
    Confinement.begin()
    exitWhenParentIsGone()
    guard let (setup, _) = nextMessage(Dialogue.Setup.self) else { _exit(0) }
    let prepared: Prepared
    do {
      prepared = try prepare(setup)
    } catch {
      output.send(.unavailable((error as? LocalizedError)?.errorDescription ?? "\(error)"))
      _exit(1)
    }
    output.send(.ready)
    while let (asked, attachment) = nextMessage(NumberedQuestion<Dialogue.Question>.self) {
      let (answer, result) = answer(prepared, asked.question, attachment) { output.send(.step(id: asked.id, $0)) }
      output.send(.answer(id: asked.id, answer), result)
    }
    _exit(0)
  }

  /// Ignores the terminal's signals: the parent decides when a child ends, not a ^C sent to the whole group.
  private static func ignoreSignalsOfTheTerminal() {
    for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { signal(number, SIG_IGN) }
  }

  /// Exits when the parent is gone, so that no orphan keeps working on a question.
  private static func exitWhenParentIsGone() {
    let thread = Thread {
      var polled = [pollfd(fd: 0, events: 0, revents: 0)]
      while true {
        let count = poll(&polled, 1, -1)
        if count > 0, polled[0].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { _exit(0) }
      }
    }
    thread.stackSize = 256 << 10
    thread.start()
  }

  private static func nextMessage<Message: Decodable>(_: Message.Type) -> (Message, attachment: [UInt8])? {
    guard let header = readBytes(Frame.headerSize) else { return nil }
    let lengths = Frame.lengths(header)
    guard let message = readBytes(lengths.message), let attachment = readBytes(lengths.attachment),
      let value = try? JSONDecoder().decode(Message.self, from: Data(message))
    else { return nil }
    return (value, attachment)
  }

  private static func readBytes(_ count: Int) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = Glibc.read(0, buffer.baseAddress?.advanced(by: filled), count - filled)
        if got > 0 {
          filled += got
        } else if got == 0 || errno != EINTR {
          break
        }
      }
    }
    return bytes.count == count ? bytes : nil
  }
}

/// The pipe to the parent.
private struct ChildOutput<Dialogue: ChildDialogue> {
  private let descriptor: Int32

  /// Reserves the pipe for answers by redirecting the libraries' standard output to standard error.
  init() {
    descriptor = dup(1)
    dup2(2, 1)
  }

  func send(_ word: ChildWord<Dialogue.Step, Dialogue.Answer>, _ attachment: [UInt8] = []) {
    // Values without a JSON representation (such as NaN) can't be sent; the parent sees the exit.
    guard let message = try? JSONEncoder().encode(word) else { _exit(CHILD_EXIT_PIPE_SETUP_FAILED) }
    for piece in Frame(message: message, attachment: attachment).pieces { write(piece) }
  }

  private func write(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written > 0 {
        rest = rest.dropFirst(written)
      } else if errno != EINTR {
        _exit(0)
      }
    }
  }
}

import CReaderChild
import Foundation
import ReaderProtocol
import StandardStreams

/// The reader's side: the hidden subcommand of the executable runs it and never returns.
public enum ReaderLoop {
  /// Names what the reader may read beside the system's libraries, a path a line.
  static let readablePathsVariable = "READER_READABLE_PATHS"

  /// Answers the server until it is gone.
  ///
  /// - Parameters:
  ///   - prepare: Warms up (starts OCR engines); what it throws is what the server's operator is told.
  ///   - read: Reads one photo, given its file, on the thread that called; throws `ReadFailure` for what is the photo's
  ///     fault.
  public static func run(
    prepare: () throws -> Void = {},
    read: ([UInt8], ReadRequest, _ progress: (ReadProgress) -> Void) throws -> ReadAnswer
  ) -> Never {
    let output = takeOverStandardOutput()
    ignoreSignalsOfTheTerminal()
    reader_exit_when_out_of_memory()
    reader_bind_to_parent()
    // Before the first thread: what is laid off is laid off by those that come after.
    confine()
    exitWhenServerIsGone()
    do {
      try prepare()
    } catch {
      send(.unavailable(sentence(error)), to: output)
      exit(1)
    }
    send(.ready, to: output)
    while let (question, photo) = nextQuestion() {
      let (answer, annotation) = answer(question, photo, to: output, read: read)
      send(answer, annotation, to: output)
    }
    // No exit handlers: engines in use by C++ destructors have nothing to say any more.
    _exit(0)
  }

  /// Keeps the pipe for answers alone and sends what libraries print to the standard error.
  private static func takeOverStandardOutput() -> Int32 {
    let output = dup(1)
    dup2(2, 1)
    return output
  }

  /// The server decides when a reader ends, not a ^C that reaches them all.
  private static func ignoreSignalsOfTheTerminal() {
    for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { signal(number, SIG_IGN) }
  }

  /// No orphan reads on when the server was killed in the middle of a photo.
  private static func exitWhenServerIsGone() {
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

  /// Lays off what decoding and OCR never need. An older kernel without it still reads.
  private static func confine() {
    let environment = ProcessInfo.processInfo.environment
    let readable = (environment[readablePathsVariable] ?? "").split(separator: "\n").map(String.init)
    let files = withCStrings(readable) { paths in
      paths.withMemoryRebound(to: UnsafePointer<CChar>?.self, capacity: readable.count + 1) {
        reader_confine_files($0)
      }
    }
    let rights = reader_drop_rights()
    if files != 0 || rights != 0 {
      StandardError.shared.write("reader runs less confined: Landlock \(files), seccomp \(rights)\n")
    }
  }

  private static func answer(
    _ question: ReaderQuestion, _ photo: [UInt8], to output: Int32,
    read: ([UInt8], ReadRequest, _ progress: (ReadProgress) -> Void) throws -> ReadAnswer
  ) -> (ReaderAnswer, annotation: [UInt8]) {
    do {
      let answer = try read(photo, question.request) { send(.progress(id: question.id, $0), to: output) }
      return (.reading(id: question.id, answer.reading), answer.annotation ?? [])
    } catch let failure as ReadFailure {
      return (.failure(id: question.id, failure), [])
    } catch {
      return (.failure(id: question.id, ReadFailure(.readerCrashed, "The reader failed: \(sentence(error))")), [])
    }
  }

  private static func sentence(_ error: any Error) -> String {
    (error as? ReadFailure)?.detail ?? (error as? LocalizedError)?.errorDescription ?? "\(error)"
  }

  private static func nextQuestion() -> (ReaderQuestion, photo: [UInt8])? {
    guard let header = readBytes(Frame.headerSize) else { return nil }
    let lengths = Frame.lengths(header)
    guard let message = readBytes(lengths.message), let photo = readBytes(lengths.attachment),
      let question = try? JSONDecoder().decode(ReaderQuestion.self, from: Data(message))
    else { return nil }
    return (question, photo)
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

  private static func send(_ answer: ReaderAnswer, _ annotation: [UInt8] = [], to output: Int32) {
    // A confidence that is no number has no JSON; the server is told instead of left waiting.
    guard let message = try? JSONEncoder().encode(answer) else {
      guard case .reading(let id, _) = answer else { return }
      let detail = "The reader's answer could not be encoded."
      return send(.failure(id: id, ReadFailure(.readerCrashed, detail)), to: output)
    }
    write(Frame(message: message, attachment: annotation).header + message, to: output)
    write(annotation, to: output)
  }

  private static func write(_ bytes: [UInt8], to output: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
      if written > 0 {
        rest = rest.dropFirst(written)
      } else if errno != EINTR {
        _exit(0)
      }
    }
  }
}

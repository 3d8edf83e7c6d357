import ChildProcess
import Foundation
import ScanModel

/// The reader's side: the hidden subcommand of the executable runs it and never returns.
public enum ReaderLoop {
  /// Reads the server's photos until it is gone.
  ///
  /// - Parameters:
  ///   - prepare: Warms up (starts OCR engines); what it throws is what the server's operator is told.
  ///   - read: Reads one photo, given its file, on the thread that called; throws `ReadFailure` for what is the photo's
  ///     fault.
  public static func run<Prepared>(
    prepare: (ReaderSettings) throws -> Prepared,
    read: (Prepared, [UInt8], ReadRequest, _ progress: (ReadProgress) -> Void) throws -> ReadAnswer
  ) -> Never {
    ChildLoop<ReaderDialogue>.run { settings in
      do {
        return try prepare(settings)
      } catch let failure as ReadFailure {
        throw Refusal(errorDescription: failure.detail)
      }
    } answer: { prepared, request, photo, progress in
      do {
        let answer = try read(prepared, photo, request, progress)
        let said = ReaderDialogue.Answer.reading(answer.reading)
        // Checked here too: a mistake in a reading costs its photo, and not the process.
        try ReaderDialogue.check(said, attachment: answer.annotation ?? [], on: request)
        return (said, answer.annotation ?? [])
      } catch let failure as ReadFailure {
        return (.failure(failure), [])
      } catch let mistake as Implausible {
        return (.failure(ReadFailure(.readerCrashed, "The reader made a mistake. \(mistake.detail)")), [])
      } catch {
        return (.failure(ReadFailure(.readerCrashed, "The reader failed: \(error.localizedDescription)")), [])
      }
    }
  }

  /// Why a reader can't start, for a person.
  private struct Refusal: LocalizedError {
    var errorDescription: String?
  }
}

import Foundation
import ScanModel
import Support

/// The reader's side of the dialogue. A hidden subcommand of the executable runs it.
public enum ReaderLoop {
  /// Reads the server's photos until the server is gone. Never returns.
  ///
  /// - Parameters:
  ///   - prepare: Warms up (starts OCR engines). The error it throws is reported to the operator.
  ///   - read: Reads one photo from its file's bytes, on the calling thread. Throws `ReadFailure` if the photo is the
  ///     cause.
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
        // An implausible thumbnail costs only itself.
        let thumbnail = answer.thumbnail.flatMap { Thumbnail.isPlausible($0) ? $0 : nil } ?? []
        let said = ReaderDialogue.Answer.reading(answer.reading, thumbnailBytes: thumbnail.count)
        let attachment = thumbnail + (answer.explanation ?? answer.annotation ?? [])
        // Checked here too, so that an error in a reading fails only its photo and not the process.
        try ReaderDialogue.check(said, attachment: attachment, on: request)
        return (said, attachment)
      } catch let failure as ReadFailure {
        return (.failure(failure), [])
      } catch let mistake as Implausible {
        return (.failure(ReadFailure(.readerCrashed, "The reader failed. \(mistake.detail)")), [])
      } catch {
        return (.failure(ReadFailure(.readerCrashed, "The reader failed: \(FileRefusal.reason(of: error)).")), [])
      }
    }
  }

  /// Why a reader can't start, as text for people.
  private struct Refusal: LocalizedError {
    var errorDescription: String?
  }
}

import Foundation
import Logging
import ScanModel
import Support

/// A worker's reader process. It decodes and reads photos, so that a malicious photo affects only itself.
public final class ReaderProcess: PhotoReader {
  private let child: SupervisedChild<ReaderDialogue>
  private let conclusiveShare: Double

  /// Starts the reader. Returns immediately, while it warms up.
  ///
  /// - Parameters:
  ///   - settings: The settings for this process and those that replace it.
  ///   - configuration: How it is started, and its resource limits.
  ///   - conclusiveShare: A read that exceeds its deadline is not retried if the reader used the CPU for at least this
  ///     share of it.
  /// - Throws: `POSIXError` if the server has no file descriptors left.
  public init(
    settings: ReaderSettings, configuration: ChildConfiguration, conclusiveShare: Double = 0.5, logger: Logger
  ) throws {
    self.conclusiveShare = conclusiveShare
    child = try SupervisedChild(ReaderDialogue.self, setup: settings, configuration: configuration, logger: logger) {
      switch $0 {
      case .asked: FaultPoint.photoHanded.reached()
      case .lost: FaultPoint.readerLost.reached()
      }
    }
  }

  /// The reader's current status.
  public var status: ChildStatus { child.status }

  /// The number of cancelled reads that have not returned.
  package var openCancellations: Int { child.openCancellations }

  /// Reads a photo in the child; see `PhotoReader`.
  public func read(
    _ photo: [UInt8], _ request: ReadRequest, deadline: Duration,
    progress: @escaping @Sendable (ReadProgress) -> Void
  ) async throws -> ReadAnswer {
    do {
      let said = try await child.ask(request, attachment: photo, deadline: deadline, step: progress)
      FaultPoint.answerTaken.reached()
      switch said.answer {
      case .reading(let reading, let thumbnailBytes):
        let thumbnail = [UInt8](said.attachment.prefix(thumbnailBytes))
        let rest = [UInt8](said.attachment.dropFirst(thumbnailBytes))
        let isExplained = request.explainedAs != nil
        return ReadAnswer(
          reading, annotation: rest.isEmpty || isExplained ? nil : rest,
          thumbnail: thumbnail.isEmpty ? nil : thumbnail, explanation: rest.isEmpty || !isExplained ? nil : rest)
      case .failure(let failure): throw failure
      }
    } catch let failure as ChildFailure {
      throw ReadFailure(failure, deadline: deadline, conclusiveShare: conclusiveShare)
    }
  }

  /// Kills the child and ends the thread; see `PhotoReader`.
  public func stop() async { await child.stop() }
}

extension ChildConfiguration {
  /// Maximum bytes of an annotated picture: 1600 by 1600 pixels, barely compressed.
  private static let largestAnnotation = 16 << 20

  /// Returns the configuration of readers.
  ///
  /// - Parameters:
  ///   - arguments: The arguments that make the executable run as a reader.
  ///   - addressSpaceLimit: Maximum bytes of address space.
  ///   - photosPerProcess: Number of photos after which the reader is replaced.
  public static func reader(
    arguments: [String], addressSpaceLimit: UInt64, photosPerProcess: Int
  ) -> ChildConfiguration {
    ChildConfiguration(
      name: "reader", arguments: arguments, largestAttachment: largestAnnotation,
      addressSpaceLimit: addressSpaceLimit, answersPerProcess: photosPerProcess)
  }
}

extension ReadFailure {
  /// Converts a child's failure to a photo's.
  ///
  /// A reader that used the CPU for most of its deadline would do so again. One that hardly ran was suspended or waited
  /// on a busy machine, so another attempt may succeed.
  fileprivate init(_ failure: ChildFailure, deadline: Duration, conclusiveShare: Double) {
    switch failure {
    case .crashed(let reason): self.init(.readerCrashed, "The reader failed on this photo. \(reason)")
    case .timedOut(let worked):
      let seconds = (deadline / .seconds(1)).formatted(.number.precision(.fractionLength(0...1)))
      self.init(
        .readerTimedOut,
        "Reading this photo took longer than \(seconds) seconds. Try a closer picture of the serial number.",
        isFinal: worked >= conclusiveShare)
    case .outOfMemory:
      self.init(
        .outOfMemory, "Reading this photo took more memory than is allowed. Try a smaller picture of the serial number."
      )
    case .unavailable(let reason): self.init(.readerUnavailable, reason)
    }
  }
}

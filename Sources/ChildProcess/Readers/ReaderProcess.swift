import ChildProcess
import Foundation
import Logging
import ScanModel
import Support

/// One reader process, owned by one worker: it decodes photos and reads them, so that a poisoned one costs itself alone.
public final class ReaderProcess: PhotoReader {
  private let child: SupervisedChild<ReaderDialogue>
  private let conclusiveShare: Double

  /// Starts the reader. Returns at once; it warms up meanwhile.
  ///
  /// - Parameters:
  ///   - settings: What it reads by, as long as it runs and in every process that replaces it.
  ///   - configuration: How it is started, and what it may use.
  ///   - conclusiveShare: A read that runs into its deadline is not tried again where the reader has computed for at
  ///     least this share of it.
  /// - Throws: `POSIXError` where the server has no descriptors left.
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

  /// How the reader is, at this moment.
  public var status: ChildStatus { child.status }

  /// Reads a photo in the child; see `PhotoReader`.
  public func read(
    _ photo: [UInt8], _ request: ReadRequest, deadline: Duration,
    progress: @escaping @Sendable (ReadProgress) -> Void
  ) async throws -> ReadAnswer {
    do {
      let said = try await child.ask(request, attachment: photo, deadline: deadline, step: progress)
      FaultPoint.answerTaken.reached()
      switch said.answer {
      case .reading(let reading):
        return ReadAnswer(reading, annotation: said.attachment.isEmpty ? nil : said.attachment)
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
  /// Bytes of the largest picture with the reads drawn in: 1600 pixels square, hardly compressed.
  private static let largestAnnotation = 16 << 20

  /// How readers are started.
  ///
  /// - Parameters:
  ///   - arguments: Those that make the program a reader.
  ///   - addressSpaceLimit: The most bytes of address space.
  ///   - photosPerProcess: The reader is replaced after this many photos.
  public static func reader(
    arguments: [String], addressSpaceLimit: UInt64, photosPerProcess: Int
  ) -> ChildConfiguration {
    ChildConfiguration(
      name: "reader", arguments: arguments, largestAttachment: largestAnnotation,
      addressSpaceLimit: addressSpaceLimit, answersPerProcess: photosPerProcess)
  }
}

extension ReadFailure {
  /// What it means for the photo that a reader gave no answer.
  ///
  /// A reader that has worked on a photo for most of its deadline would do so again. One that has hardly run was
  /// suspended, or waited for a machine that was busy otherwise: another attempt may be luckier.
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

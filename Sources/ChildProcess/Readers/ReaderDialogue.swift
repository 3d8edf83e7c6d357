import ScanModel

/// The dialogue with a reader. The photo is the request's attachment, the thumbnail and the annotated picture or the
/// explanation the reading's.
enum ReaderDialogue: ChildDialogue {
  typealias Setup = ReaderSettings
  typealias Question = ReadRequest
  typealias Step = ReadProgress

  /// The end of a read.
  enum Answer: Codable, Sendable {
    /// A reading, and the number of bytes of its attachment that are the thumbnail; the rest is the annotation, or the
    /// explanation if that was requested.
    case reading(Reading, thumbnailBytes: Int)
    case failure(ReadFailure)
  }

  /// The failures that a reader may report, because the photo caused them.
  ///
  /// Only the supervisor reports that the reader could not start, or exceeded its time or memory; otherwise a
  /// compromised reader could have its job retried indefinitely.
  private static let ownFailures: Set<ReadFailure.Code> = [
    .notAPicture, .damagedPicture, .tooManyPixels, .readerCrashed,
  ]

  static func check(_ step: ReadProgress, on question: ReadRequest) throws(Implausible) {
    try require((0...1).contains(step.fraction), "a progress outside 0...1")
    try require(step.message.isSentence, "an invalid progress message")
  }

  static func check(_ answer: Answer, attachment: [UInt8], on question: ReadRequest) throws(Implausible) {
    switch answer {
    case .reading(let reading, let thumbnailBytes):
      try reading.check(limits: question.limits)
      try require((0...attachment.count).contains(thumbnailBytes), "a thumbnail of impossible size")
      let thumbnail = attachment.prefix(thumbnailBytes)
      try require(
        thumbnail.isEmpty || question.wantsThumbnail && Thumbnail.isPlausible(thumbnail),
        "an invalid thumbnail, or one that was not requested")
      let rest = attachment.dropFirst(thumbnailBytes)
      let isExpected =
        question.explainedAs != nil
        ? rest.starts(with: htmlBeginning) : question.wantsAnnotation && rest.starts(with: pngSignature)
      try require(rest.isEmpty || isExpected, "an invalid picture or explanation, or one that was not requested")
    case .failure(let failure):
      try require(ownFailures.contains(failure.code), "a failure that is not a photo's")
      try require(failure.detail.isSentence, "a failure without a message")
      try require(attachment.isEmpty, "bytes beside a failure")
    }
  }

  private static let htmlBeginning = Array("<!doctype html>".utf8)
  private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
}

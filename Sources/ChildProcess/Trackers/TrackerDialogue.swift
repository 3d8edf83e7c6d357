import ScanModel

/// The dialogue with a tracker. The frame's file is the question's attachment, the masks the answer's.
enum TrackerDialogue: ChildDialogue {
  /// Empty, because a tracker has no settings.
  struct Setup: Codable, Sendable {}
  /// Empty, because a tracker reports no progress.
  struct Step: Codable, Sendable {}

  typealias Question = TrackerQuestion

  /// The end of a question.
  enum Answer: Codable, Sendable {
    case report(FrameReport)
    case ended
    case failure(TrackingFailure)
  }

  /// The failures that a tracker may report: those caused by the frame, and unknown sessions after a restart. Only the
  /// parent reports a lost tracker.
  private static let ownFailures: Set<TrackingFailure.Code> = [
    .unsupportedImage, .damagedImage, .tooManyPixels, .invalidBox, .unknownSession,
  ]

  static func check(_ step: Step, on question: TrackerQuestion) throws(Implausible) {
    throw Implausible("It sent a step.")
  }

  static func check(_ answer: Answer, attachment: [UInt8], on question: TrackerQuestion) throws(Implausible) {
    switch (answer, question) {
    case (.report(let report), .begin(let first)):
      try report.check(objectCount: first.objectCount, first.options)
      try report.check(masks: attachment, first.options)
    case (.report(let report), .track(let next)):
      try report.check(objectCount: next.objectCount, next.options)
      try report.check(masks: attachment, next.options)
    case (.failure(let failure), .begin), (.failure(let failure), .track):
      try require(ownFailures.contains(failure.code), "a failure that is not a frame's")
      try require(failure.detail.isSentence, "a failure without a message")
      try require(attachment.isEmpty, "bytes beside a failure")
    case (.ended, .end): try require(attachment.isEmpty, "bytes beside an end")
    default: throw Implausible("It answered another question.")
    }
  }
}

extension FrameReport {
  /// Maximum distance of corners from the frame in pixels.
  private static let farthest = 1e7

  /// Throws if a working tracker would never report this for a frame with `objectCount` objects.
  fileprivate func check(objectCount: Int, _ options: FrameOptions) throws(Implausible) {
    let (pixels, isTooLarge) = width.multipliedReportingOverflow(by: height)
    try require(
      width > 0 && height > 0 && !isTooLarge && pixels <= options.limits.maxPixels, "a frame of impossible size")
    try require(side > 0 && side <= max(1, options.side), "a frame tracked at an impossible size")
    try require(objects.count == objectCount, "\(objects.count) objects")
    for case .some(let object) in objects { try check(object) }
  }

  private func check(_ object: Object) throws(Implausible) {
    try require((0...1).contains(object.confidence), "a confidence outside 0...1")
    try require((0...1e6).contains(object.sharpness), "an impossible sharpness")
    try require(object.box.count == 4 && object.quad.count == 4, "an invalid place")
    let (box, across, down) = (object.box, Double(width), Double(height))
    try require(
      box[0] >= 0 && box[1] >= 0 && box[0] <= box[2] && box[1] <= box[3] && box[2] <= across && box[3] <= down,
      "a box outside the frame")
    try require(
      object.quad.allSatisfy { $0.count == 2 && $0.allSatisfy { abs($0) <= Self.farthest } }, "invalid corners")
  }

  /// Throws if these are not the masks of the objects in sight.
  fileprivate func check(masks: [UInt8], _ options: FrameOptions) throws(Implausible) {
    let count = options.masks ? objects.count { $0 != nil } : 0
    let (bytes, isTooLarge) = (width * height).multipliedReportingOverflow(by: count)
    try require(!isTooLarge && masks.count == bytes, "masks of another size")
    try require(masks.allSatisfy { $0 <= 1 }, "invalid masks")
  }
}

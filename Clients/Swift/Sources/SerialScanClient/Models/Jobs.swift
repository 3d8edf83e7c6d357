import Foundation

/// What a person decided about a photo without a saved serial.
public struct Review: RawRepresentable, Hashable, Sendable, Codable {
  /// The decision's name.
  public var rawValue: String
  /// Creates a decision from its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The photo shows no serial.
  public static let noSerial = Review(rawValue: "no_serial")
  /// The device will be photographed again.
  public static let retake = Review(rawValue: "retake")
}

/// A photo in a list.
public struct JobItem: Sendable, Codable, Equatable, Identifiable {
  /// The job's id.
  public var jobId: String
  /// The job's state.
  public var status: JobStatus
  /// 0 to 100; never decreases.
  public var progress: Int
  /// The current step, as text for people.
  public var message: String
  /// When the photo was stored.
  public var createdAt: Date
  /// When the state last changed.
  public var updatedAt: Date
  /// The photo's file name as sent.
  public var filename: String?
  /// The device type as sent.
  public var deviceType: String?
  /// How reliable the result is; nil before the end.
  public var verdict: Verdict?
  /// The best serial read.
  public var serial: String?
  /// The serial that a person confirmed.
  public var confirmedSerial: String?
  /// What a person decided about a photo without a saved serial.
  public var review: Review?
  /// When the same serial was last read before.
  public var seenBefore: Date?
  /// Confidence of the best read, 0 to 1.
  public var confidence: Double?
  /// Why no serial was read, as text for people.
  public var error: String?
  /// Why no serial was read, as a code for programs.
  public var errorCode: ErrorCode?
  /// What plainly kept the photo from being read; nil if nothing did.
  public var flaw: PhotoFlaw?
  /// The job that read the same photo first.
  public var duplicateOf: String?
  /// Values of custom fields from codes in the photo.
  public var custom: [String: String]?
  /// The batch it belongs to.
  public var batchId: String?
  /// The path of the photo's thumbnail.
  public var thumbnailUrl: String?

  /// The job's id.
  public var id: String { jobId }
}

/// A page of photos.
public struct JobPage: ListPage, Codable, Equatable {
  /// The photos.
  public var items: [JobItem]
  /// The cursor of the next page; nil on the last one.
  public var nextCursor: String?
}

/// Conditions on the photos to list.
public struct JobFilter: Sendable {
  /// The job's state.
  public var status: JobStatus?
  /// How reliable the result is.
  public var verdict: Verdict?
  /// Whether a person has confirmed the serial.
  public var isConfirmed: Bool?
  /// Whether a person has reviewed the photo.
  public var isReviewed: Bool?
  /// The id of the batch.
  public var batch: String?

  /// Creates a filter; nil omits a condition.
  public init(
    status: JobStatus? = nil, verdict: Verdict? = nil, isConfirmed: Bool? = nil, isReviewed: Bool? = nil,
    batch: String? = nil
  ) {
    self.status = status
    self.verdict = verdict
    self.isConfirmed = isConfirmed
    self.isReviewed = isReviewed
    self.batch = batch
  }

  /// The photos of a batch, or of all, that need review.
  public static func needingReview(batch: String? = nil) -> JobFilter {
    JobFilter(verdict: .uncertain, isConfirmed: false, isReviewed: false, batch: batch)
  }

  var query: [(String, String)] {
    [
      ("status", status?.rawValue), ("verdict", verdict?.rawValue), ("confirmed", isConfirmed.map { String($0) }),
      ("reviewed", isReviewed.map { String($0) }), ("batch", batch),
    ].compactMap { name, value in value.map { (name, $0) } }
  }
}

import Foundation

/// A named group of photos and serials that several people scan into.
public struct Batch: Sendable, Codable, Equatable, Identifiable {
  /// The batch's id.
  public var id: String
  /// Its name.
  public var name: String
  /// When it was created.
  public var createdAt: Date
  /// When it ended; nil while it is open.
  public var endedAt: Date?
  /// Its counts when it was fetched.
  public var tally: BatchTally
}

/// The counts of a batch. Each photo counts in one of five states.
public struct BatchTally: Sendable, Codable, Equatable {
  /// Different photos, the sum of the five states.
  public var photos: Int
  /// Photos that wait or are being read.
  public var waiting: Int
  /// Photos with an accepted read that nobody has confirmed.
  public var accepted: Int
  /// Photos with an uncertain read that nobody has confirmed or reviewed.
  public var needsReview: Int
  /// Photos without a serial that nobody has confirmed.
  public var noSerial: Int
  /// Photos whose serial a person has confirmed.
  public var confirmed: Int
  /// Photos sent again, and saved serials that repeat another one of the batch.
  public var duplicates: Int
  /// Different serials saved in the batch.
  public var devices: Int
}

/// A page of batches.
public struct BatchPage: ListPage, Codable, Equatable {
  /// The batches.
  public var items: [Batch]
  /// The cursor of the next page; nil on the last one.
  public var nextCursor: String?
}

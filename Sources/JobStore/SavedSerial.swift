import Foundation
import ScanModel

/// The origin of a saved serial.
public enum SerialSource: String, Codable, Sendable, CaseIterable {
  /// A photo sent to this server.
  case scan
  /// Read on an iPhone or iPad.
  case ios
  /// Read on a Mac.
  case mac
  /// Decided by a vote over frames of live video.
  case live
  /// Typed by a hardware scanner that read a barcode.
  case scanner
}

/// The client's idempotency key for saving a serial, so that repeated requests save it once.
public struct SaveKey: Sendable, Equatable {
  /// The key, unique among serials.
  public var name: String
  /// A digest of the whole request. A different request under the same key is rejected.
  public var request: String

  /// Creates a key.
  public init(name: String, request: String) { (self.name, self.request) = (name, request) }
}

/// A serial to save.
public struct NewSerial: Sendable, Equatable {
  /// The serial.
  public var serial: String
  /// Confidence, clamped to 0...1.
  public var confidence: Double
  /// Its origin.
  public var source: SerialSource
  /// Whether its format is valid.
  public var isValid: Bool
  /// The device type as the client sent it.
  @DeviceTypeText public var deviceType: String?
  /// The preset it was read with.
  public var preset: Preset?
  /// The method that read it.
  public var method: String?
  /// Notes for people.
  public var notes: String?
  /// When it was read; nil for now.
  public var readAt: Date?
  /// The photo's file name as the client sent it.
  public var filename: String?
  /// The reader's verdict.
  public var verdict: Reading.Verdict?
  /// The key that sent it.
  public var keyID: String?
  /// The other fields read from the device; nil if unknown.
  public var fields: [FieldRead]?
  /// Identifies one save across retries. A store whose response can be lost uses it to save the serial only once.
  public var saveID: UUID?
  /// The idempotency key; nil if every call saves another serial.
  public var key: SaveKey?
  /// The batch it belongs to, or nil.
  public var batchID: String?
  /// Values of its device's custom fields by name, saved with it as a person's; nil removes a value.
  public var custom: [String: String?]

  /// Creates a serial to save.
  public init(
    serial: String, confidence: Double, source: SerialSource, isValid: Bool, deviceType: String? = nil,
    preset: Preset? = nil, method: String? = nil, notes: String? = nil, readAt: Date? = nil,
    filename: String? = nil, verdict: Reading.Verdict? = nil, keyID: String? = nil, fields: [FieldRead]? = nil,
    saveID: UUID? = nil, key: SaveKey? = nil, batchID: String? = nil, custom: [String: String?] = [:]
  ) {
    self.serial = serial
    self.confidence = confidence
    self.source = source
    self.isValid = isValid
    self.deviceType = deviceType
    self.preset = preset
    self.method = method
    self.notes = notes
    self.readAt = readAt
    self.filename = filename
    self.verdict = verdict
    self.keyID = keyID
    self.fields = fields
    self.saveID = saveID
    self.key = key
    self.batchID = batchID
    self.custom = custom
  }
}

/// A saved serial.
public struct SavedSerial: Codable, Sendable, Equatable, Identifiable {
  /// Its number; numbers are never reused.
  public var id: Int64
  /// When it was read.
  public var createdAt: Date
  /// The serial.
  public var serial: String
  /// The device type as the client sent it, or nil.
  public var deviceType: String?
  /// The preset it was read with; nil if it was read on a device.
  public var preset: Preset?
  /// Confidence, 0...1.
  public var confidence: Double
  /// The method that read it.
  public var method: String?
  /// Its origin.
  public var source: SerialSource
  /// Whether its format is valid.
  public var isValid: Bool
  /// Notes for people.
  public var notes: String?
  /// The job that read it, or nil. The job may have been deleted.
  public var jobID: String?
  /// The photo's file name as the client sent it, or nil.
  public var filename: String?
  /// The reader's verdict; nil if no longer known.
  public var verdict: Reading.Verdict?
  /// When a person last confirmed it; nil if nobody did.
  public var confirmedAt: Date?
  /// When the same serial was last read before this one; nil if it is the first read.
  public var seenBefore: Date?
  /// The key that sent it; nil if the server required none.
  public var keyID: String?
  /// The other fields read from the device; nil if unknown.
  public var fields: [FieldRead]?
  /// The batch it belongs to, or nil.
  public var batchID: String?
  /// The batch's name; nil if it belongs to none.
  public var batchName: String?
  /// Whether the photo still exists: retention has not deleted it.
  public var hasPhoto: Bool
  /// Whether there is a thumbnail of the photo.
  public var hasThumbnail: Bool

  /// Creates a saved serial.
  public init(
    id: Int64, createdAt: Date, serial: String, deviceType: String?, preset: Preset?, confidence: Double,
    method: String?, source: SerialSource, isValid: Bool, notes: String?, jobID: String?,
    filename: String? = nil, verdict: Reading.Verdict? = nil, confirmedAt: Date? = nil, seenBefore: Date? = nil,
    keyID: String? = nil, fields: [FieldRead]? = nil, batchID: String? = nil, batchName: String? = nil,
    hasPhoto: Bool = false, hasThumbnail: Bool = false
  ) {
    self.id = id
    self.createdAt = createdAt
    self.serial = serial
    self.deviceType = deviceType
    self.preset = preset
    self.confidence = confidence
    self.method = method
    self.source = source
    self.isValid = isValid
    self.notes = notes
    self.jobID = jobID
    self.filename = filename
    self.verdict = verdict
    self.confirmedAt = confirmedAt
    self.seenBefore = seenBefore
    self.keyID = keyID
    self.fields = fields
    self.batchID = batchID
    self.batchName = batchName
    self.hasPhoto = hasPhoto
    self.hasThumbnail = hasThumbnail
  }
}

extension [FieldRead] {
  /// Encodes fields for a store; nil if there are none.
  package static func stored(_ fields: [FieldRead]?) -> String? {
    guard let fields, !fields.isEmpty, let data = try? JSONEncoder().encode(fields) else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  /// Decodes stored fields; nil if there are none or they are invalid.
  package init?(stored text: String?) {
    guard let text, let fields = try? JSONDecoder().decode([FieldRead].self, from: Data(text.utf8)) else { return nil }
    self = fields
  }
}

/// Conditions on saved serials. All must hold.
public struct SerialFilter: Sendable, Equatable {
  /// Part of the serial, the device type or the file name, ignoring case. If shorter than three characters, the
  /// beginning of the serial.
  public var search: String?
  /// The device type, ignoring case.
  public var deviceType: String?
  /// The origin.
  public var source: SerialSource?
  /// Whether the format is valid.
  public var isValid: Bool?
  /// Earliest time of reading, inclusive.
  public var from: Date?
  /// Latest time of reading, exclusive.
  public var until: Date?
  /// The key that sent it.
  public var keyID: String?
  /// The batch it belongs to.
  public var batchID: String?

  /// Creates a filter. Without conditions it matches every serial.
  public init(
    search: String? = nil, deviceType: String? = nil, source: SerialSource? = nil, isValid: Bool? = nil,
    from: Date? = nil, until: Date? = nil, keyID: String? = nil, batchID: String? = nil
  ) {
    self.search = search
    self.deviceType = deviceType
    self.source = source
    self.isValid = isValid
    self.from = from
    self.until = until
    self.keyID = keyID
    self.batchID = batchID
  }
}

/// A query for a page of saved serials.
public struct SerialQuery: Sendable, Equatable {
  /// The sort order.
  public enum Sort: String, Sendable, CaseIterable {
    /// By time of reading.
    case createdAt = "created_at"
    /// By serial.
    case serial
    /// By confidence.
    case confidence
    /// By device type, ignoring case: by the code points of `SerialSearch.folded`.
    case deviceType = "device_type"
  }

  /// Conditions on the serials.
  public var filter: SerialFilter
  /// The sort order.
  public var sort: Sort
  /// Whether the order is ascending.
  public var ascending: Bool
  /// Maximum number of serials.
  public var limit: Int
  /// Number of serials to skip, for clients that page by number. In long lists a cursor is cheaper.
  public var offset: Int
  /// The previous page's `nextCursor`. If set, `offset` is ignored.
  public var cursor: String?

  /// Creates a query; without arguments, for the latest hundred serials.
  public init(
    filter: SerialFilter = SerialFilter(), sort: Sort = .createdAt, ascending: Bool = false, limit: Int = 100,
    offset: Int = 0, cursor: String? = nil
  ) {
    self.filter = filter
    self.sort = sort
    self.ascending = ascending
    self.limit = limit
    self.offset = offset
    self.cursor = cursor
  }
}

/// Statistics over all saved serials.
public struct SerialStatistics: Codable, Sendable, Equatable {
  /// Number of serials.
  public var total: Int
  /// Number of serials with a valid format.
  public var valid: Int
  /// Mean confidence, 0...1; nil without serials.
  public var meanConfidence: Double?
  /// Number of serials by source.
  public var bySource: [String: Int]
  /// Number of serials by device type, for the `mostDeviceTypes` most frequent ones. The empty name counts serials
  /// without a device type, `other` all remaining ones.
  public var byDeviceType: [String: Int]
  /// Number of serials by day (YYYY-MM-DD, UTC) for the latest days, without days that had none.
  public var byDay: [String: Int]

  /// Maximum number of device types counted separately. Clients choose them freely, so their number must be bounded.
  public static let mostDeviceTypes = 500

  /// Creates statistics.
  ///
  /// - Parameter byDeviceType: The most frequent device types, at most `mostDeviceTypes`; the rest of `total` is
  ///   counted as `other`.
  public init(
    total: Int, valid: Int, meanConfidence: Double?, bySource: [String: Int], byDeviceType: [String: Int],
    byDay: [String: Int]
  ) {
    self.total = total
    self.valid = valid
    self.meanConfidence = meanConfidence
    self.bySource = bySource
    self.byDeviceType = byDeviceType
    if byDeviceType.count >= Self.mostDeviceTypes {
      let rest = byDeviceType.values.reduce(Double(total)) { $0 - Double($1) }
      let other = Double(byDeviceType["other"] ?? 0) + rest
      if rest > 0 { self.byDeviceType["other"] = Int(exactly: other) ?? .max }
    }
    self.byDay = byDay
  }
}

/// A read to look up among earlier reads of the same serial.
public struct ReadInQuestion: Sendable, Equatable {
  /// The serial.
  public var serial: String
  /// The job that read it, or nil.
  public var jobID: String?
  /// When it was read.
  public var readAt: Date

  /// Creates a lookup for a read.
  public init(serial: String, jobID: String?, readAt: Date) {
    self.serial = serial
    self.jobID = jobID
    self.readAt = readAt
  }
}

/// Stores the saved serials.
public protocol SerialStore: Sendable {
  /// Saves a serial that was not read by a job of this server. Returns it with its number once it is durable.
  ///
  /// If a serial was already saved under the same `SaveKey`, returns that one in its current state, and leaves its
  /// device's values unchanged. Throws `StoreError.saveConflict` if a different request used that key.
  func save(_ serial: NewSerial) async throws -> SavedSerial

  /// Returns the serial with this number; nil if it does not exist.
  func serial(id: Int64) async throws -> SavedSerial?

  /// Returns a page of serials. Throws `InvalidCursor`.
  func serials(_ query: SerialQuery) async throws -> Page<SavedSerial>

  /// Counts the serials that match a filter.
  func serialCount(_ filter: SerialFilter) async throws -> Int

  /// Returns when each serial was last read earlier by a different job, in the order of `reads`.
  func earlierReads(_ reads: [ReadInQuestion]) async throws -> [Date?]

  /// Returns statistics over all serials, or those of a batch.
  func serialStatistics(days: Int, batchID: String?) async throws -> SerialStatistics
}

extension SerialStore {
  /// Returns statistics over all serials.
  public func serialStatistics(days: Int) async throws -> SerialStatistics {
    try await serialStatistics(days: days, batchID: nil)
  }

  /// Calls `body` with all matching serials, oldest first, in batches.
  ///
  /// At most `batchSize` serials are held in memory, and no lock is held between batches. Serials saved meanwhile may
  /// or may not be included.
  public func forEachBatch(
    of filter: SerialFilter, batchSize: Int = 2000, _ body: ([SavedSerial]) async throws -> Void
  ) async throws {
    var query = SerialQuery(filter: filter, sort: .createdAt, ascending: true, limit: batchSize)
    while true {
      try Task.checkCancellation()
      let page = try await serials(query)
      if !page.items.isEmpty { try await body(page.items) }
      guard let cursor = page.nextCursor else { return }
      query.cursor = cursor
    }
  }
}

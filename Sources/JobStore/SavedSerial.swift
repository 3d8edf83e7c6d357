import Foundation
import ScanModel

/// Where a saved serial came from.
public enum SerialSource: String, Codable, Sendable, CaseIterable {
  /// A photo sent to this server.
  case scan
  /// Read on an iPhone or iPad.
  case ios
  /// Read on a Mac.
  case mac
  /// Voted over the frames of live video.
  case live
}

/// Under what a serial is saved once, however often its save is asked for.
public struct SaveKey: Sendable, Equatable {
  /// The key, which no other serial has.
  public var name: String
  /// A digest of all that was asked: under the same key another request is refused.
  public var request: String

  /// Creates a key.
  public init(name: String, request: String) { (self.name, self.request) = (name, request) }
}

/// A serial to be saved.
public struct NewSerial: Sendable, Equatable {
  /// The serial.
  public var serial: String
  /// 0...1; held to that.
  public var confidence: Double
  /// Where it came from.
  public var source: SerialSource
  /// Whether it fits the grammar.
  public var isValid: Bool
  /// The device type as the client wrote it.
  public var deviceType: String?
  /// The preset it was read with.
  public var preset: Preset?
  /// What read it.
  public var method: String?
  /// Sentences for a person.
  public var notes: String?
  /// When it was read, where that is not now.
  public var readAt: Date?
  /// The photo's file name as the client gave it.
  public var filename: String?
  /// What the reader made of it.
  public var verdict: Reading.Verdict?
  /// The key that brought it.
  public var keyID: String?
  /// What stands beside it on its device; nil where that is not known.
  public var fields: [FieldRead]?
  /// Tells attempts at saving this one from those at another, where whoever saves it may try again. A store whose answer can
  /// be lost on its way saves it once.
  public var saveID: UUID?
  /// Under what it is saved once; nil where each call saves a serial.
  public var key: SaveKey?

  /// Creates a serial to be saved.
  public init(
    serial: String, confidence: Double, source: SerialSource, isValid: Bool, deviceType: String? = nil,
    preset: Preset? = nil, method: String? = nil, notes: String? = nil, readAt: Date? = nil,
    filename: String? = nil, verdict: Reading.Verdict? = nil, keyID: String? = nil, fields: [FieldRead]? = nil,
    saveID: UUID? = nil, key: SaveKey? = nil
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
  }
}

/// A saved serial.
public struct SavedSerial: Codable, Sendable, Equatable, Identifiable {
  /// Its number, never given twice.
  public var id: Int64
  /// When it was read.
  public var createdAt: Date
  /// The serial.
  public var serial: String
  /// The device type as the client wrote it, or nil.
  public var deviceType: String?
  /// The preset it was read with, or nil where it was read on a device.
  public var preset: Preset?
  /// 0...1.
  public var confidence: Double
  /// What read it.
  public var method: String?
  /// Where it came from.
  public var source: SerialSource
  /// Whether it fits the grammar.
  public var isValid: Bool
  /// Sentences for a person.
  public var notes: String?
  /// The job that read it, or nil. The job itself may be gone.
  public var jobID: String?
  /// The photo's file name as the client gave it, or nil.
  public var filename: String?
  /// What the reader made of it; nil where that is not known any more.
  public var verdict: Reading.Verdict?
  /// When a person last said that it is so; nil where nobody did.
  public var confirmedAt: Date?
  /// When the same serial was last read before this one; nil where it was not.
  public var seenBefore: Date?
  /// The key that brought it; nil where the server was open.
  public var keyID: String?
  /// What stands beside it on its device; nil where that is not known.
  public var fields: [FieldRead]?

  /// Creates a saved serial.
  public init(
    id: Int64, createdAt: Date, serial: String, deviceType: String?, preset: Preset?, confidence: Double,
    method: String?, source: SerialSource, isValid: Bool, notes: String?, jobID: String?,
    filename: String? = nil, verdict: Reading.Verdict? = nil, confirmedAt: Date? = nil, seenBefore: Date? = nil,
    keyID: String? = nil, fields: [FieldRead]? = nil
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
  }
}

extension [FieldRead] {
  /// Fields as a store keeps them; nil for none.
  package static func stored(_ fields: [FieldRead]?) -> String? {
    guard let fields, !fields.isEmpty, let data = try? JSONEncoder().encode(fields) else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  /// Fields that a store kept; nil where it has none, or holds something else.
  package init?(stored text: String?) {
    guard let text, let fields = try? JSONDecoder().decode([FieldRead].self, from: Data(text.utf8)) else { return nil }
    self = fields
  }
}

/// Which saved serials are wanted. All conditions hold together.
public struct SerialFilter: Sendable, Equatable {
  /// A part of the serial, the device type or the file name, whatever its case; of fewer than three characters, the
  /// beginning of the serial.
  public var search: String?
  /// The device type, whatever its case.
  public var deviceType: String?
  /// Where it came from.
  public var source: SerialSource?
  /// Whether it fits the grammar.
  public var isValid: Bool?
  /// Read at this time or later.
  public var from: Date?
  /// Read before this time.
  public var until: Date?
  /// The key that brought it.
  public var keyID: String?

  /// Creates a filter; without conditions it lets everything through.
  public init(
    search: String? = nil, deviceType: String? = nil, source: SerialSource? = nil, isValid: Bool? = nil,
    from: Date? = nil, until: Date? = nil, keyID: String? = nil
  ) {
    self.search = search
    self.deviceType = deviceType
    self.source = source
    self.isValid = isValid
    self.from = from
    self.until = until
    self.keyID = keyID
  }
}

/// A part of the list of saved serials.
public struct SerialQuery: Sendable, Equatable {
  /// What a list is sorted by.
  public enum Sort: String, Sendable, CaseIterable {
    /// When it was read.
    case createdAt = "created_at"
    /// The serial.
    case serial
    /// The confidence.
    case confidence
    /// The device type, whatever its case: by the code points of `SerialSearch.folded`.
    case deviceType = "device_type"
  }

  /// Which are wanted.
  public var filter: SerialFilter
  /// Their order.
  public var sort: Sort
  /// Whether the order goes up.
  public var ascending: Bool
  /// How many at most.
  public var limit: Int
  /// How many to leave out; for clients that page by number. A cursor costs less in long lists.
  public var offset: Int
  /// Where the page before ended; leaves `offset` out of account.
  public var cursor: String?

  /// Creates a query; without arguments, the latest hundred.
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

/// Figures over all saved serials.
public struct SerialStatistics: Codable, Sendable, Equatable {
  /// How many there are.
  public var total: Int
  /// How many fit the grammar.
  public var valid: Int
  /// Mean of their confidences, 0...1; nil where there are none.
  public var meanConfidence: Double?
  /// How many by source.
  public var bySource: [String: Int]
  /// How many by device type, of the most frequent `mostDeviceTypes`; the empty name stands for none given, `other` for the rest.
  public var byDeviceType: [String: Int]
  /// How many on each of the latest days (YYYY-MM-DD, UTC) that had any.
  public var byDay: [String: Int]

  /// Device types counted one by one; clients write them freely, so their number has to be bounded.
  public static let mostDeviceTypes = 500

  /// Creates figures.
  ///
  /// - Parameter byDeviceType: The most frequent ones, at most `mostDeviceTypes`; what they lack of `total` is `other`.
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

/// A read of which is asked whether its serial was seen before.
public struct ReadInQuestion: Sendable, Equatable {
  /// The serial.
  public var serial: String
  /// The job that read it, or nil.
  public var jobID: String?
  /// When it was read.
  public var readAt: Date

  /// Asks for a read.
  public init(serial: String, jobID: String?, readAt: Date) {
    self.serial = serial
    self.jobID = jobID
    self.readAt = readAt
  }
}

/// The table of saved serials.
public protocol SerialStore: Sendable {
  /// Saves a serial that no job of this server has read. Returns it with its number, once it is durable; the one saved before
  /// under the same `SaveKey`, as it is now. Throws `StoreError.saveConflict` where another request had that key.
  func save(_ serial: NewSerial) async throws -> SavedSerial

  /// The serial with this number, or nil.
  func serial(id: Int64) async throws -> SavedSerial?

  /// A part of the list. Throws `InvalidCursor`.
  func serials(_ query: SerialQuery) async throws -> Page<SavedSerial>

  /// How many serials a filter lets through.
  func serialCount(_ filter: SerialFilter) async throws -> Int

  /// When each serial was last read before a time, by another job than the one named; in the order asked.
  func earlierReads(_ reads: [ReadInQuestion]) async throws -> [Date?]

  /// Figures over all serials.
  func serialStatistics(days: Int) async throws -> SerialStatistics
}

extension SerialStore {
  /// All serials that a filter lets through, oldest first, a batch at a time: never more than `batchSize` are held,
  /// and no lock between batches. Serials saved meanwhile may or may not be among them.
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

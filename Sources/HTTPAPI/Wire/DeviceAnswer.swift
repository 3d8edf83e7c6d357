import Exports
import Foundation
import JobStore
import ScanModel
import Settings
import Support

/// A device: one row of the list of devices.
struct DeviceAnswer: Codable {
  /// The read that represents the device.
  struct Best: Codable {
    @ExplicitNull var jobID: String?
    var serialID: Int64
    @ExplicitNull var filename: String?
    @ExplicitNull var thumbnailURL: String?
    @ExplicitNull var photoURL: String?

    private enum CodingKeys: String, CodingKey {
      case jobID = "job_id"
      case serialID = "serial_id"
      case filename
      case thumbnailURL = "thumbnail_url"
      case photoURL = "photo_url"
    }
  }

  /// A batch in which the device was read.
  struct Batch: Codable {
    var id: String
    var name: String
  }

  var serial: String
  @ExplicitNull var deviceType: String?
  var status: Device.Status
  var isValid: Bool
  @ExplicitNull var confidence: Double?
  var firstSeen: Date
  var lastSeen: Date
  var timesSeen: Int
  var custom: [String: String]
  @ExplicitNull var fields: FieldsAnswer?
  @ExplicitNull var meaning: MeaningAnswer?
  @ExplicitNull var best: Best?
  var batches: [Batch]

  private enum CodingKeys: String, CodingKey {
    case serial
    case deviceType = "device_type"
    case status
    case isValid = "is_valid"
    case confidence
    case firstSeen = "first_seen"
    case lastSeen = "last_seen"
    case timesSeen = "times_seen"
    case custom
    case fields
    case meaning
    case best
    case batches
  }

  /// Creates the response with the values of the configured fields.
  init(_ device: Device, _ fields: [CustomField], _ models: ModelNames) {
    serial = device.serial
    deviceType = device.deviceType
    status = device.status
    isValid = device.isValid
    confidence = (device.best?.confidence).map(Confidence.displayed)
    firstSeen = device.firstSeen
    lastSeen = device.lastSeen
    timesSeen = device.timesSeen
    custom = device.custom.configured(fields)
    self.fields = device.fields.map(FieldsAnswer.init)
    meaning = MeaningAnswer(of: device.serial, device.fields, models)
    best = device.best.map { read in
      Best(
        jobID: read.jobID, serialID: read.id, filename: read.filename,
        thumbnailURL: read.hasThumbnail ? read.jobID.map(ThumbnailAddress.path) : nil,
        photoURL: read.hasPhoto ? read.jobID.map { "/result/\($0)/photo" } : nil)
    }
    batches = device.batches.map { Batch(id: $0.id, name: $0.name) }
  }
}

extension [String: String] {
  /// The values of the configured fields. Other values remain stored, in case their fields are configured again.
  func configured(_ fields: [CustomField]) -> [String: String] {
    filter { value in fields.contains { $0.name == value.key } }
  }
}

extension Device.Status: WireWord { static var wireName: String { "DeviceStatus" } }

extension DeviceAnswer: WireObject {
  static let wireName = "Device"
  static let wireNotes: [String: Schema] = [
    "device_type": .about("As a person set it, otherwise that of the latest read."),
    "status": .about(
      "`confirmed` by a person, `accepted`, `uncertain` where every read needs review, `imported` without reads."),
    "is_valid": .about("Whether the serial has a valid format."),
    "confidence": .share.about("That of the best read; null without reads."),
    "first_seen": .about("When it was read first; without reads, when it was imported."),
    "last_seen": .about("When it was last read; without reads, when it was imported."),
    "times_seen": .about("Number of reads, of all keys."),
    "custom": .about(
      "The values of custom fields (`custom_fields` of /config) by name; fields without a value are omitted."),
    "fields": .about(
      "The values beside the serial, such as the model number: of each kind the one with valid check digits, otherwise "
        + "the surest, otherwise the latest in the \(Device.mostReadsWithFields) latest reads that have fields. Only "
        + "values of the best read have a `region`."),
    "best": .about(
      "The best read that the key may see: a confirmed one first, then by confidence, then the latest."),
    "batches": .about("The batches in which it was read."),
  ]
}

extension DeviceAnswer.Best: WireObject {
  static let wireName = "BestRead"
  static let wireNotes: [String: Schema] = [
    "filename": .about("The file name that the client gave the photo."),
    "thumbnail_url": .about("Null if there is none."), "photo_url": .about("Null if the photo is gone."),
  ]
}

extension DeviceAnswer.Batch: WireObject {
  static let wireName = "BatchName"
}

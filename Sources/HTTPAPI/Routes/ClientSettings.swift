import BlobFiles
import Exports
import Hummingbird
import PictureHeader
import ScanModel
import Settings
import Support

/// `GET /config`: what a client should know before it sends a photo.
struct ClientSettings: Sendable {
  struct Answer: Codable {
    struct Limits: Codable {
      var maxUploadBytes: Int
      var maxPixels: Int
      var maxWaitSeconds: Double
      var processTimeoutSeconds: Double
      var requestsPerMinute: Int
      var resultRetentionDays: Double

      private enum CodingKeys: String, CodingKey {
        case maxUploadBytes = "max_upload_bytes"
        case maxPixels = "max_pixels"
        case maxWaitSeconds = "max_wait_seconds"
        case processTimeoutSeconds = "process_timeout_seconds"
        case requestsPerMinute = "requests_per_minute"
        case resultRetentionDays = "result_retention_days"
      }
    }

    struct Thresholds: Codable {
      var accept: Double
      var acceptFromDevices: Double
      var refuse: Double

      private enum CodingKeys: String, CodingKey {
        case accept
        case acceptFromDevices = "accept_from_devices"
        case refuse
      }
    }

    struct Field: Codable {
      var name: String
      @ExplicitNull var pattern: String?
    }

    struct Column: Codable {
      var name: String
      var label: String
      var rows: [ExportRows]
    }

    struct Template: Codable {
      var name: String
      var description: String
    }

    var version: String
    var imageField = "image"
    var formats: [String]
    var presets: [Preset]
    var deviceTypes: [String: Preset]
    var limits: Limits
    var thresholds: Thresholds
    var pollIntervalSeconds = 5
    var customFields: [Field]
    var exportColumns: [Column]
    var exportTemplates: [Template]

    private enum CodingKeys: String, CodingKey {
      case version
      case imageField = "image_field"
      case formats
      case presets
      case deviceTypes = "device_types"
      case limits
      case thresholds
      case pollIntervalSeconds = "poll_interval_seconds"
      case customFields = "custom_fields"
      case exportColumns = "export_columns"
      case exportTemplates = "export_templates"
    }
  }

  /// The device types that the app offers.
  private static let deviceTypes = ["MacBook", "iMac", "Mac Mini", "iPhone", "iPad", "Apple Watch", "Accessory"]

  let configuration: APIConfiguration
  let exports: ExportChoices

  var endpoint: Endpoint {
    Endpoint(
      .get, "/config", "AskForSettings", "Get the settings",
      "Limits, defaults and names that a client needs before it sends a photo.", topic: .settings, access: .any,
      answers: [.json(Answer.self)]
    ) { _, _ in .json(try await answer()) }
  }

  private func answer() async throws -> Answer {
    let settings = configuration.settings
    let templates = try await FileThreads.run { [exports] in exports.templates.read().templates }
    return Answer(
      version: configuration.version, formats: PictureHeader.Format.allCases.map(\.rawValue),
      presets: Preset.allCases,
      deviceTypes: Dictionary(
        Self.deviceTypes.compactMap { type in
          Preset(deviceType: type).map { (type, $0) }
        }, uniquingKeysWith: { first, _ in first }),
      limits: Answer.Limits(
        maxUploadBytes: settings.upload.maxBytes, maxPixels: settings.upload.pictures.maxPixels,
        maxWaitSeconds: settings.server.maxWait, processTimeoutSeconds: settings.server.processTimeout,
        requestsPerMinute: settings.server.requestsPerMinute, resultRetentionDays: settings.retention.results),
      thresholds: Answer.Thresholds(
        accept: settings.reading.accept, acceptFromDevices: settings.reading.acceptFromDevices,
        refuse: settings.reading.refuse),
      customFields: settings.fields.custom.map { Answer.Field(name: $0.name, pattern: $0.pattern?.text) },
      exportColumns: exports.columns.map { column in
        Answer.Column(
          name: column.name, label: column.label, rows: ExportRows.allCases.filter(column.rows.contains))
      },
      exportTemplates: templates.map { Answer.Template(name: $0.name, description: $0.description) })
  }
}

extension ClientSettings.Answer: WireObject {
  static let wireName = "Settings"
  static let wireNotes: [String: Schema] = [
    "device_types": .about("The preset of each device type that the app offers."),
    "custom_fields": .about("The custom fields of devices, in order; see `fields.custom`."),
    "export_columns": .about("What `columns` of `/export` may name."),
    "export_templates": .about("What `template` of `/export` may name."),
  ]
}

extension ClientSettings.Answer.Field: WireObject {
  static let wireName = "CustomField"
  static let wireNotes: [String: Schema] = [
    "pattern": .about(
      "A regular expression that the whole value must match; null if any value may be entered.")
  ]
}

extension ClientSettings.Answer.Column: WireObject {
  static let wireName = "ExportColumn"
  static let wireNotes: [String: Schema] = [
    "label": .about("The heading in exports without a template."), "rows": .about("The rows that have this column."),
  ]
}

extension ExportRows: WireWord { static var wireName: String { "ExportRows" } }

extension ClientSettings.Answer.Template: WireObject {
  static let wireName = "ExportTemplate"
}

extension ClientSettings.Answer.Limits: WireObject {
  static let wireName = "SettingsLimits"
}

extension ClientSettings.Answer.Thresholds: WireObject {
  static let wireName = "SettingsThresholds"
  static let wireNotes: [String: Schema] = [
    "accept": .share.about("Confidence from which a read of a photo is accepted."),
    "accept_from_devices": .share.about("The same threshold for serials of `POST /serials`."),
    "refuse": .share.about("Confidence below which a read is not reported."),
  ]
}

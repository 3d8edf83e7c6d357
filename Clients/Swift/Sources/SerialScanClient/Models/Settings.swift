/// What an app should know about the server before it sends a photo.
public struct ServerSettings: Sendable, Codable, Equatable {
  /// The server's version.
  public var version: String
  /// The file formats of photos: `jpeg`, `heic`, ...
  public var formats: [String]
  /// The presets.
  public var presets: [Preset]
  /// The preset of each device type that an app should offer.
  public var deviceTypes: [String: Preset]
  /// The limits of requests.
  public var limits: Limits
  /// The confidences that decide about reads.
  public var thresholds: Thresholds
  /// Seconds between two polls.
  public var pollIntervalSeconds: Double
  /// The custom fields of devices, in order; nil from servers before 1.2.
  public var customFields: [CustomField]?
  /// The layouts of exported spreadsheets; nil from servers before 1.2.
  public var exportTemplates: [ExportTemplate]?

  /// The limits of requests.
  public struct Limits: Sendable, Codable, Equatable {
    /// Maximum size of an upload in bytes.
    public var maxUploadBytes: Int
    /// Maximum number of pixels of a photo.
    public var maxPixels: Int
    /// Maximum seconds that the server holds the response to a poll.
    public var maxWaitSeconds: Double
    /// Seconds after which
    /// ``SerialScanClient/processSerial(image:deviceType:preset:region:multiple:batch:minConfidence:persist:debug:idempotencyKey:)``
    /// throws ``ErrorCode/processingTimeout``.
    public var processTimeoutSeconds: Double
    /// Maximum number of requests per minute; 0 for no limit.
    public var requestsPerMinute: Int
    /// Days that results are kept.
    public var resultRetentionDays: Double
  }

  /// The confidences, 0 to 1, that decide about reads.
  public struct Thresholds: Sendable, Codable, Equatable {
    /// From this confidence, a read of a photo is accepted.
    public var accept: Double
    /// From this confidence, a serial that was read on a device is acceptable.
    public var acceptFromDevices: Double
    /// Below this confidence, a read is not reported.
    public var refuse: Double
  }

  /// A custom field of devices.
  public struct CustomField: Sendable, Codable, Equatable {
    /// Its name.
    public var name: String
    /// A regular expression that the whole value must match; nil if any value may be entered.
    public var pattern: String?
  }

  /// A layout of exported spreadsheets.
  public struct ExportTemplate: Sendable, Codable, Equatable {
    /// Its name.
    public var name: String
    /// Its purpose.
    public var description: String
  }
}

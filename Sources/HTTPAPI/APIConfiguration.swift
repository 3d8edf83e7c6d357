import ReaderProtocol

/// What the API needs to know of the settings. Times are in seconds, sizes in bytes.
public struct APIConfiguration: Sendable {
  /// What a preset is for and how it reads, as `GET /params` tells it.
  public struct PresetParameters: Sendable, Equatable {
    /// What the preset is for, for a person.
    public var description: String
    /// Its numeric parameters by name.
    public var parameters: [String: Double]

    /// Creates a description of a preset.
    public init(description: String, parameters: [String: Double]) {
      self.description = description
      self.parameters = parameters
    }
  }

  /// The address to listen on.
  public var host = "127.0.0.1"
  /// The port to listen on; 0 takes a free one.
  public var port = 8000
  /// The folder below which photos are stored.
  public var dataPath = "./data"
  /// The folder of pictures with the reads drawn in, `ID.png` each.
  public var annotationsPath: String { "\(dataPath)/annotations" }
  /// The folder of reports and of files being exported.
  public var reportsPath: String { "\(dataPath)/reports" }
  /// The folder below which labelled folders lie.
  public var datasetsPath = "./datasets"
  /// The version that `/health` tells.
  public var version = "1.0.0"
  /// Photos read at the same time.
  public var workers = 1
  /// The largest photo.
  public var maxUploadBytes = 25 * 1024 * 1024
  /// The most pixels of a photo.
  public var maxPixels = 60_000_000
  /// For the whole of a request's head.
  public var headerTimeout = 20.0
  /// For the whole of a request's body.
  public var bodyTimeout = 120.0
  /// For a client to take a whole answer.
  public var writeTimeout = 120.0
  /// For which an idle connection is kept.
  public var idleTimeout = 75.0
  /// Connections held at once.
  public var maxConnections = 8192
  /// Uploads written to disk at once.
  public var maxUploads = 256
  /// The longest that `GET /result/{id}?wait=` holds an answer.
  public var maxWait = 60.0
  /// After which `/process-serial` answers 504.
  public var processTimeout = 30.0
  /// Origins whose pages may call the server; `*` for all.
  public var corsOrigins: [String] = []
  /// Requests a minute for each key, and for each address without one; 0 is no limit.
  public var requestsPerMinute = 0
  /// Jobs that may wait, as `/queue/status` tells it.
  public var maxWaiting = 10_000
  /// Confidence from which a serial is taken without asking.
  public var acceptConfidence = 0.9
  /// Confidence below which a serial is not shown.
  public var refuseConfidence = 0.1
  /// Days for which results answer; 0 is for ever.
  public var resultRetentionDays = 90.0
  /// The presets.
  public var presets: [Preset: PresetParameters] = [:]

  /// Creates a configuration with the defaults of `config/serialscan.yaml`.
  public init() {}
}

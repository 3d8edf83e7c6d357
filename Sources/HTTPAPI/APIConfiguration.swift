import Evaluations
import ScanModel
import Settings

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
  public var host: String
  /// The port to listen on; 0 takes a free one.
  public var port: Int
  /// The folder for what passes through this machine.
  public var dataPath: String
  /// The folder of files being exported.
  public var exportsPath: String { "\(dataPath)/exports" }
  /// The folder below which labelled folders lie.
  public var datasetsPath: String
  /// The version that `/health` tells.
  public var version: String
  /// Photos read at the same time.
  public var workers: Int
  /// The largest photo.
  public var maxUploadBytes: Int
  /// The most pixels of a photo.
  public var maxPixels: Int
  /// After which no further strategy is begun on a picture of an evaluation.
  public var timeBudget: Double
  /// Whether every serial of a photo is read where a request does not say.
  public var multiple: Bool
  /// For the whole of a request's head.
  public var headerTimeout: Double
  /// For the whole of a request's body.
  public var bodyTimeout: Double
  /// For which a client may take nothing of its answer.
  public var writeTimeout: Double
  /// Bytes a second that a client must take of its answer on average.
  public var leastWriteRate: Double
  /// For which an idle connection is kept.
  public var idleTimeout: Double
  /// Connections held at once.
  public var maxConnections: Int
  /// Uploads written to disk at once.
  public var maxUploads: Int
  /// Bytes of frames of live video that are received and tracked at once.
  public var maxFrameBytes: Int
  /// The longest that `GET /result/{id}?wait=` holds an answer.
  public var maxWait: Double
  /// After which `/process-serial` answers 504.
  public var processTimeout: Double
  /// Origins whose pages may call the server; `*` for all.
  public var corsOrigins: [String]
  /// Names by which browsers may call the server, beside this machine's own.
  public var hosts: [String]
  /// Proxies whose word is taken for where a request comes from.
  public var trustedProxies: [AddressPrefix]
  /// Requests a minute for each key, and for each address without one; 0 is no limit.
  public var requestsPerMinute: Int
  /// Jobs that may wait, as `/queue/status` tells it.
  public var maxWaiting: Int
  /// Places beyond these for `/process-serial`.
  public var reserved: Int
  /// Evaluations and sweeps in the background that may wait or be under way.
  public var maxTasks: Int
  /// For how long that work is left to other machines of the same store.
  public var taskPatience: BackgroundWork.Patience
  /// Confidence from which a serial is taken without asking.
  public var acceptConfidence: Double
  /// Confidence from which a serial that a device has read itself is acceptable.
  public var acceptFromDevices: Double
  /// Confidence below which a serial is not shown.
  public var refuseConfidence: Double
  /// Days for which results answer; 0 is for ever.
  public var resultRetentionDays: Double
  /// Where the ends of jobs may be sent.
  public var webhooks: Settings.Webhooks
  /// The presets.
  public var presets: [Preset: PresetParameters]

  /// Takes what the API needs of the settings; nothing here has a default of its own.
  public init(_ settings: Settings, version: String) {
    host = settings.host
    port = settings.port
    dataPath = settings.data
    datasetsPath = settings.datasets
    self.version = version
    workers = settings.workers
    maxUploadBytes = settings.upload.maxBytes
    maxPixels = settings.upload.maxPixels
    timeBudget = settings.reading.timeBudget
    multiple = settings.reading.multiple
    headerTimeout = settings.server.headerTimeout
    bodyTimeout = settings.server.bodyTimeout
    writeTimeout = settings.server.writeTimeout
    leastWriteRate = settings.server.leastWriteRate
    idleTimeout = settings.server.idleTimeout
    maxConnections = settings.server.maxConnections
    maxUploads = settings.server.maxUploads
    maxFrameBytes = settings.tracking.maxBytes
    maxWait = settings.server.maxWait
    processTimeout = settings.server.processTimeout
    corsOrigins = settings.server.corsOrigins
    hosts = settings.server.hosts
    trustedProxies = settings.server.trustedProxies
    requestsPerMinute = settings.server.requestsPerMinute
    maxWaiting = settings.queue.maxWaiting
    reserved = settings.queue.reserved
    maxTasks = settings.queue.maxTasks
    taskPatience = settings.store.url == nil ? .none : settings.workers == 0 ? .ofAnswerers : .ofReaders
    acceptConfidence = settings.reading.accept
    acceptFromDevices = settings.reading.acceptFromDevices
    refuseConfidence = settings.reading.refuse
    resultRetentionDays = settings.retention.results
    webhooks = settings.webhooks
    presets = settings.presets.mapValues { PresetParameters(description: $0.description, parameters: $0.parameters) }
  }
}

extension APIConfiguration {
  /// How the pictures of evaluations are read.
  public var evaluations: Evaluator.Configuration {
    Evaluator.Configuration(
      datasetsPath: datasetsPath, workers: workers, maxPixels: maxPixels, timeBudget: timeBudget,
      presets: presets.mapValues(\.parameters))
  }
}

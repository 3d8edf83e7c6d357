import Foundation
import ScanModel

/// Every setting, checked. Defaults, comments and units stand in `config/serialscan.yaml`, and only there.
public struct Settings: Sendable, Equatable {
  /// `store.*`
  public struct Store: Sendable, Equatable {
    /// The database that machines share; nil for SQLite in the data folder.
    public var url: StoreAddress?
    /// The address that is listened at; nil for `url`.
    public var listenURL: StoreAddress?
    /// The folder of photos that all machines mount; nil for rows of the database.
    public var photos: String?
    /// Connections at once.
    public var pool: Int
    /// Seconds until a connection stands.
    public var connectTimeout: Double
    /// Seconds for a statement's answer.
    public var statementTimeout: Double
    /// Seconds for a connection to become free.
    public var acquireTimeout: Double
  }
  /// `log.*`
  public struct Log: Sendable, Equatable {
    /// The least severe level that is logged.
    public var level: String
    /// Whether a log line is JSON.
    public var isJSON: Bool
  }
  /// `upload.*`
  public struct Upload: Sendable, Equatable {
    /// Bytes of the largest photo.
    public var maxBytes: Int
    /// Pixels of the largest photo.
    public var maxPixels: Int
  }
  /// `server.*`
  public struct Server: Sendable, Equatable {
    /// Seconds for a request's head.
    public var headerTimeout: Double
    /// Seconds for a request's body.
    public var bodyTimeout: Double
    /// Seconds for which a client may take nothing of its answer.
    public var writeTimeout: Double
    /// Bytes a second that a client must take of its answer on average.
    public var leastWriteRate: Double
    /// Seconds an idle connection is kept.
    public var idleTimeout: Double
    /// Connections held at once.
    public var maxConnections: Int
    /// Uploads received at once.
    public var maxUploads: Int
    /// Seconds a long poll is held at most.
    public var maxWait: Double
    /// Seconds a synchronous request waits.
    public var processTimeout: Double
    /// Seconds to finish what is under way at a stop.
    public var stopTimeout: Double
    /// Origins whose pages may call the server; `*` for all.
    public var corsOrigins: [String]
    /// Names by which browsers may call the server, beside this machine's own.
    public var hosts: [String]
    /// Proxies whose word is taken for where a request comes from.
    public var trustedProxies: [AddressPrefix]
    /// Requests a minute for a key or an address; 0 is no limit.
    public var requestsPerMinute: Int
  }
  /// `queue.*`
  public struct Queue: Sendable, Equatable {
    /// Photos that may wait.
    public var maxWaiting: Int
    /// Places beyond these for requests that wait for their result.
    public var reserved: Int
    /// Evaluations and sweeps that may wait or be under way.
    public var maxTasks: Int
    /// Seconds a worker holds a job without a sign of life.
    public var lease: Double
    /// Attempts before a photo fails for good.
    public var maxAttempts: Int
    /// Seconds before the second attempt.
    public var backoff: Double
  }
  /// `reader.*`
  public struct Reader: Sendable, Equatable {
    /// Seconds after which a reader is killed.
    public var deadline: Double
    /// Bytes of address space of a reader.
    public var memoryLimit: Int
    /// Photos after which a reader is replaced.
    public var recycleAfter: Int
  }
  /// `reading.*`
  public struct Reading: Sendable, Equatable {
    /// Seconds of CPU time after which no further strategy is begun.
    public var timeBudget: Double
    /// Confidence from which a serial is taken, 0...1.
    public var accept: Double
    /// Confidence from which a serial that a device has read itself is acceptable, 0...1.
    public var acceptFromDevices: Double
    /// Confidence below which a serial is not shown, 0...1.
    public var refuse: Double
    /// Whether every serial of a photo is read where a request does not say.
    public var multiple: Bool
    /// Whether what stands beside serials is told.
    public var fields: Bool
    /// Path of the model that gives a second opinion.
    public var secondModel: String
  }
  /// `tracking.*`
  public struct Tracking: Sendable, Equatable {
    /// At least 1; by the number of cores where the setting is 0.
    public var processes: Int
    /// Sessions at once.
    public var maxSessions: Int
    /// Bytes of frames kept at once.
    public var maxBytes: Int
    /// Seconds without a frame after which a session ends.
    public var idle: Double
    /// Seconds after which a tracker is killed.
    public var deadline: Double
    /// Bytes of address space of a tracker.
    public var memoryLimit: Int
    /// Added to the server's niceness.
    public var niceness: Int
    /// Readers of frames at once.
    public var readers: Int
    /// The share of its time that such a reader reads, above 0, at most 1.
    public var readShare: Double
    /// Seconds of CPU time of a read of frames after which no further strategy is begun.
    public var readBudget: Double
  }
  /// `retention.*`, in days and bytes; 0 is no bound.
  public struct Retention: Sendable, Equatable {
    /// Days a photo is kept.
    public var photos: Double
    /// Days a result is kept.
    public var results: Double
    /// Days a report is kept.
    public var reports: Double
    /// Bytes of photos that are kept.
    public var maxBytes: Int
  }
  /// `webhooks.*`
  public struct Webhooks: Sendable, Equatable {
    /// Where the ends of jobs may be sent.
    public var rules: WebhookRules
    /// Where they are sent when a request does not say; nil for nowhere.
    public var defaultURL: WebhookURL?
    /// What they are signed with, one signature for each.
    public var secrets: [WebhookSecret]
    /// Seconds for an attempt.
    public var timeout: Double
    /// Seconds after which no further attempt is made.
    public var retryFor: Double
  }
  /// `presets.*`
  public struct PresetSettings: Sendable, Equatable {
    /// What the preset is for.
    public var description: String
    /// Its numeric parameters by name.
    public var parameters: [String: Double]
  }

  /// The address to listen on.
  public var host: String
  /// The port to listen on; 0 takes a free one.
  public var port: Int
  /// The folder of the database, the photos and the reports.
  public var data: String
  /// The folder of labelled folders.
  public var datasets: String
  /// The number of cores where the setting is `auto`; 0 reads nothing here.
  public var workers: Int
  /// Where everything is kept.
  public var store: Store
  /// How the log is written.
  public var log: Log
  /// What an upload may be.
  public var upload: Upload
  /// How connections and requests are bounded.
  public var server: Server
  /// How jobs wait and are tried.
  public var queue: Queue
  /// How reader processes are bounded.
  public var reader: Reader
  /// When a read is taken.
  public var reading: Reading
  /// How live video is followed.
  public var tracking: Tracking
  /// How long things are kept.
  public var retention: Retention
  /// Where the ends of jobs are sent.
  public var webhooks: Webhooks
  /// The presets.
  public var presets: [Preset: PresetSettings]
  /// Sentences about variables that look like settings and are none.
  public var warnings: [String]

  /// How a photo is read as far as the settings say; who asks adds the rest.
  public var readRequest: ReadRequest {
    ReadRequest(timeBudget: reading.timeBudget, pixelLimit: upload.maxPixels)
  }

  /// Loads the defaults, then the file, the environment and the flags over them.
  ///
  /// - Parameters:
  ///   - file: path of a settings file, or nil.
  ///   - environment: the process's variables; those that begin with `SERIALSCAN_` count.
  ///   - flags: dotted keys with their values, and the flag to name in an error.
  /// - Throws: `SettingsError` for an unknown key or a value out of range, with its name, file and line.
  public static func load(
    file: String?, environment: [String: String], flags: [(key: String, text: String, flag: String)] = []
  ) throws(SettingsError) -> Settings {
    var layers = try LayeredValues()
    if let file { try layers.overlay(file: file) }
    layers.overlay(environment: environment)
    try layers.overlay(flags: flags)
    return try Settings(layers)
  }

  /// Every setting in force by its dotted key, without passwords, with where it was set, in the order of the keys. Throws `SettingsError` as
  /// `load` does.
  public static func origins(
    file: String?, environment: [String: String], flags: [(key: String, text: String, flag: String)] = []
  ) throws(SettingsError) -> [(key: String, value: String, origin: String)] {
    var layers = try LayeredValues()
    if let file { try layers.overlay(file: file) }
    layers.overlay(environment: environment)
    try layers.overlay(flags: flags)
    _ = try Settings(layers)
    return layers.values.sorted { $0.key < $1.key }.map { ($0.key, shown($0.key, $0.value.text), $0.value.origin) }
  }

  /// A value without the secrets in it.
  private static func shown(_ key: String, _ text: String) -> String {
    switch key {
    case "store.url", "store.listen_url": StoreAddress(text)?.description ?? ""
    case "webhooks.secret": text.isEmpty ? "" : "(hidden)"
    case "webhooks.default": WebhookURL(text)?.origin ?? ""
    default: text
    }
  }

  private init(_ layers: LayeredValues) throws(SettingsError) {
    let take = CheckedValues(layers)
    host = try take.text("host")
    port = try take.whole("port", in: 0...65535)
    data = try take.text("data")
    datasets = try take.text("datasets")
    workers = try take.whole("workers", in: 0...256, auto: ProcessInfo.processInfo.activeProcessorCount)
    store = try Store(
      url: take.storeAddress("store.url"), listenURL: take.storeAddress("store.listen_url"),
      photos: take.optionalText("store.photos"), pool: take.whole("store.pool", in: 1...1000),
      connectTimeout: take.number("store.connect_timeout", in: 0.1...600),
      statementTimeout: take.number("store.statement_timeout", in: 1...3600),
      acquireTimeout: take.number("store.acquire_timeout", in: 0.1...600))
    log = try Log(
      level: take.choice("log.level", of: ["trace", "debug", "info", "notice", "warning", "error", "critical"]),
      isJSON: take.choice("log.format", of: ["plain", "json"]) == "json")
    upload = try Upload(
      maxBytes: take.whole("upload.max_bytes", in: 1_000...2_000_000_000),
      maxPixels: take.whole("upload.max_pixels", in: 1_000...500_000_000))
    server = try Server(
      headerTimeout: take.number("server.header_timeout", in: 0.1...3600),
      bodyTimeout: take.number("server.body_timeout", in: 0.1...3600),
      writeTimeout: take.number("server.write_timeout", in: 0.1...3600),
      leastWriteRate: take.number("server.least_write_rate", in: 1...1e9),
      idleTimeout: take.number("server.idle_timeout", in: 0.1...3600),
      maxConnections: take.whole("server.max_connections", in: 1...1_000_000),
      maxUploads: take.whole("server.max_uploads", in: 1...100_000),
      maxWait: take.number("server.max_wait", in: 0...600),
      processTimeout: take.number("server.process_timeout", in: 0.1...3600),
      stopTimeout: take.number("server.stop_timeout", in: 0...3600),
      corsOrigins: take.words("server.cors_origins"),
      hosts: take.words("server.hosts"),
      trustedProxies: take.prefixes("server.trusted_proxies"),
      requestsPerMinute: take.whole("server.requests_per_minute", in: 0...10_000_000))
    queue = try Queue(
      maxWaiting: take.whole("queue.max_waiting", in: 1...100_000_000),
      reserved: take.whole("queue.reserved", in: 0...1_000_000),
      maxTasks: take.whole("queue.max_tasks", in: 1...100_000),
      lease: take.number("queue.lease", in: 0.5...3600),
      maxAttempts: take.whole("queue.max_attempts", in: 1...1_000),
      backoff: take.number("queue.backoff", in: 0...3600))
    reader = try Reader(
      deadline: take.number("reader.deadline", in: 0.5...3600),
      memoryLimit: take.whole("reader.memory_limit", in: 268_435_456...1_099_511_627_776),
      recycleAfter: take.whole("reader.recycle_after", in: 1...100_000_000))
    reading = try Reading(
      timeBudget: take.number("reading.time_budget", in: 0.05...600),
      accept: take.number("reading.accept", in: 0...1),
      acceptFromDevices: take.number("reading.accept_from_devices", in: 0...1),
      refuse: take.number("reading.refuse", in: 0...1),
      multiple: take.choice("reading.multiple", of: ["true", "false"]) == "true",
      fields: take.choice("reading.fields", of: ["true", "false"]) == "true",
      secondModel: take.text("reading.second_model"))
    guard reading.accept >= reading.refuse else {
      throw SettingsError(
        key: "reading.accept", origin: layers.values["reading.accept"]?.origin ?? "",
        problem: "must not be below reading.refuse (\(reading.refuse)): a serial would be saved and not shown")
    }
    let processes = try take.whole("tracking.processes", in: 0...64)
    tracking = try Tracking(
      processes: processes == 0 ? min(4, ProcessInfo.processInfo.activeProcessorCount) : processes,
      maxSessions: take.whole("tracking.max_sessions", in: 1...100_000),
      maxBytes: take.whole("tracking.max_bytes", in: 1_000_000...1_099_511_627_776),
      idle: take.number("tracking.idle", in: 0.1...86400),
      deadline: take.number("tracking.deadline", in: 0.5...600),
      memoryLimit: take.whole("tracking.memory_limit", in: 268_435_456...1_099_511_627_776),
      niceness: take.whole("tracking.niceness", in: 0...19),
      readers: take.whole("tracking.readers", in: 0...64),
      readShare: take.number("tracking.read_share", in: 0.05...1),
      readBudget: take.number("tracking.read_budget", in: 0.1...600))
    retention = try Retention(
      photos: take.number("retention.photos", in: 0...36500),
      results: take.number("retention.results", in: 0...36500),
      reports: take.number("retention.reports", in: 0...36500),
      maxBytes: take.whole("retention.max_bytes", in: 0...1_000_000_000_000_000))
    webhooks = try take.webhooks()
    presets = try take.presets()
    warnings = layers.unknownVariables.map { "\($0) is no setting and was ignored" }
    try take.requireAllTaken()
  }
}

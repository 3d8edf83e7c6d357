import Foundation
import ScanModel

/// The checked settings. Their defaults, descriptions and units are documented only in `config/serialscan.yaml`.
public struct Settings: Sendable, Equatable {
  /// `store.*`
  public struct Store: Sendable, Equatable {
    /// The database that machines share; nil for SQLite in the data folder.
    public var url: StoreAddress?
    /// The address for LISTEN; nil to use `url`.
    public var listenURL: StoreAddress?
    /// The photo folder that all machines mount; nil to keep photos in the database.
    public var photos: String?
    /// The maximum number of connections.
    public var pool: Int
    /// The timeout for connecting, in seconds.
    public var connectTimeout: Double
    /// The timeout of a statement, in seconds.
    public var statementTimeout: Double
    /// The timeout for acquiring a free connection, in seconds.
    public var acquireTimeout: Double
  }
  /// `log.*`
  public struct Log: Sendable, Equatable {
    /// The lowest level that is logged.
    public var level: String
    /// Whether log lines are JSON.
    public var isJSON: Bool
  }
  /// `upload.*`
  public struct Upload: Sendable, Equatable {
    /// The maximum size of a photo in bytes.
    public var maxBytes: Int
    /// The limits of a photo once its header is known.
    public var pictures: PictureLimits
  }
  /// `server.*`
  public struct Server: Sendable, Equatable {
    /// The timeout for receiving a request's head, in seconds.
    public var headerTimeout: Double
    /// The timeout for receiving a request's body, in seconds.
    public var bodyTimeout: Double
    /// Seconds a client may stop reading its response before it is disconnected.
    public var writeTimeout: Double
    /// The minimum average rate, in bytes per second, at which a client must read its response.
    public var leastWriteRate: Double
    /// Seconds that an idle connection is kept open.
    public var idleTimeout: Double
    /// The maximum number of open connections.
    public var maxConnections: Int
    /// The maximum number of concurrent uploads.
    public var maxUploads: Int
    /// The maximum duration of a long poll, in seconds.
    public var maxWait: Double
    /// The timeout of a synchronous request, in seconds.
    public var processTimeout: Double
    /// Seconds for completing requests in progress when the server stops.
    public var stopTimeout: Double
    /// Origins whose pages may call the server; `*` for all.
    public var corsOrigins: [String]
    /// Host names by which browsers may call the server, besides this machine's own.
    public var hosts: [String]
    /// Proxies trusted to report the client's address.
    public var trustedProxies: [AddressPrefix]
    /// The maximum number of requests per minute for each key or address; 0 for no limit.
    public var requestsPerMinute: Int
  }
  /// `queue.*`
  public struct Queue: Sendable, Equatable {
    /// The maximum number of waiting photos.
    public var maxWaiting: Int
    /// Additional places for requests that wait for their result.
    public var reserved: Int
    /// The maximum number of evaluations and sweeps that are waiting or running.
    public var maxTasks: Int
    /// Seconds that a worker's lease on a job lasts without a heartbeat.
    public var lease: Double
    /// Attempts before a photo fails permanently.
    public var maxAttempts: Int
    /// Seconds before the second attempt.
    public var backoff: Double
  }
  /// `reader.*`
  public struct Reader: Sendable, Equatable {
    /// Seconds after which a reader process is killed.
    public var deadline: Double
    /// The maximum address space of a reader process in bytes.
    public var memoryLimit: Int
    /// Photos after which a reader process is replaced.
    public var recycleAfter: Int
  }
  /// `reading.*`
  public struct Reading: Sendable, Equatable {
    /// Seconds of CPU time after which no further strategy starts.
    public var timeBudget: Double
    /// The minimum confidence for accepting a serial, 0...1.
    public var accept: Double
    /// The minimum confidence for accepting a serial that a device decoded itself, 0...1.
    public var acceptFromDevices: Double
    /// The minimum confidence for reporting a serial, 0...1.
    public var refuse: Double
    /// Whether every serial in a photo is read if the request does not specify it.
    public var multiple: Bool
    /// Which fields next to serials (such as IMEI) are reported.
    public var fields: FieldReading
  }
  /// `fields.*`
  public struct Fields: Sendable, Equatable {
    /// The custom fields of devices, in the order in which they are shown.
    public var custom: [CustomField]
  }
  /// `tracking.*`
  public struct Tracking: Sendable, Equatable {
    /// The number of tracker processes, at least 1; derived from the number of cores if the setting is 0.
    public var processes: Int
    /// The maximum number of concurrent sessions.
    public var maxSessions: Int
    /// The maximum bytes of frames kept at a time.
    public var maxBytes: Int
    /// Seconds without a frame after which a session ends.
    public var idle: Double
    /// Seconds after which a tracker process is killed.
    public var deadline: Double
    /// The maximum address space of a tracker process in bytes.
    public var memoryLimit: Int
    /// The value added to the server's niceness.
    public var niceness: Int
    /// The maximum number of concurrent frame readers.
    public var readers: Int
    /// The maximum share of time that a frame reader spends reading: above 0, at most 1.
    public var readShare: Double
    /// Seconds of CPU time of a frame read after which no further strategy starts.
    public var readBudget: Double
  }
  /// `retention.*`, in days and bytes; 0 for no limit.
  public struct Retention: Sendable, Equatable {
    /// Days that a photo is kept.
    public var photos: Double
    /// Days that a result is kept.
    public var results: Double
    /// Days that a report is kept.
    public var reports: Double
    /// The maximum bytes of photos kept.
    public var maxBytes: Int
  }
  /// `export.*`
  public struct Export: Sendable, Equatable {
    /// The folder of the operator's templates; nil for none.
    public var templates: String?
  }
  /// `webhooks.*`
  public struct Webhooks: Sendable, Equatable {
    /// The rules for webhook addresses.
    public var rules: WebhookRules
    /// The receiver if a request names none; nil to send no webhook then.
    public var defaultURL: WebhookURL?
    /// The secrets that webhooks are signed with; each adds one signature.
    public var secrets: [WebhookSecret]
    /// The timeout of an attempt, in seconds.
    public var timeout: Double
    /// Seconds after which no further attempt is made.
    public var retryFor: Double
  }
  /// `presets.*`
  public struct PresetSettings: Sendable, Equatable {
    /// The purpose of the preset.
    public var description: String
    /// The preset's numeric parameters by name.
    public var parameters: [String: Double]
  }

  /// The address to listen on.
  public var host: String
  /// The port to listen on; 0 picks a free one.
  public var port: Int
  /// The folder of the database, the photos and the reports.
  public var data: String
  /// The folder that contains the labelled folders.
  public var datasets: String
  /// The number of photo workers; the number of cores if the setting is `auto`, 0 to read no photos here.
  public var workers: Int
  /// The `store.*` settings.
  public var store: Store
  /// The `log.*` settings.
  public var log: Log
  /// The `upload.*` settings.
  public var upload: Upload
  /// The `server.*` settings.
  public var server: Server
  /// The `queue.*` settings.
  public var queue: Queue
  /// The `reader.*` settings.
  public var reader: Reader
  /// The `reading.*` settings.
  public var reading: Reading
  /// The `fields.*` settings.
  public var fields: Fields
  /// The `tracking.*` settings.
  public var tracking: Tracking
  /// The `retention.*` settings.
  public var retention: Retention
  /// The `export.*` settings.
  public var export: Export
  /// The `webhooks.*` settings.
  public var webhooks: Webhooks
  /// The settings of each preset.
  public var presets: [Preset: PresetSettings]
  /// Warnings about environment variables that have the prefix but match no setting.
  public var warnings: [String]

  /// The read request that the settings define; the caller adds what is specific to a photo.
  public var readRequest: ReadRequest {
    ReadRequest(timeBudget: reading.timeBudget, limits: upload.pictures)
  }

  /// Loads the defaults and overrides them with the file, the environment and the flags, in this order.
  ///
  /// - Parameters:
  ///   - file: The path of a settings file, or nil.
  ///   - environment: The process's variables; only those that begin with `SERIALSCAN_` are used.
  ///   - flags: Dotted keys with their values, and the flag to name in an error.
  /// - Throws: `SettingsError` for an unknown key or a value out of range, with key, file and line.
  public static func load(
    file: String?, environment: [String: String], flags: [(key: String, text: String, flag: String)] = []
  ) throws(SettingsError) -> Settings {
    var layers = try LayeredValues()
    if let file { try layers.overlay(file: file) }
    layers.overlay(environment: environment)
    try layers.overlay(flags: flags)
    return try Settings(layers)
  }

  /// Returns every effective setting by dotted key, in the order of the keys, with its origin and without passwords.
  /// Throws `SettingsError` as `load` does.
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

  /// Returns a value without its secrets.
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
    data = try take.path("data")
    datasets = try take.path("datasets")
    workers = try take.whole("workers", in: 0...256, auto: ProcessInfo.processInfo.activeProcessorCount)
    store = try Store(
      url: take.storeAddress("store.url"), listenURL: take.storeAddress("store.listen_url"),
      photos: take.optionalPath("store.photos"), pool: take.whole("store.pool", in: 1...1000),
      connectTimeout: take.number("store.connect_timeout", in: 0.1...600, of: "seconds"),
      statementTimeout: take.number("store.statement_timeout", in: 1...3600, of: "seconds"),
      acquireTimeout: take.number("store.acquire_timeout", in: 0.1...600, of: "seconds"))
    log = try Log(
      level: take.choice("log.level", of: ["trace", "debug", "info", "notice", "warning", "error", "critical"]),
      isJSON: take.choice("log.format", of: ["plain", "json"]) == "json")
    upload = try Upload(
      maxBytes: take.whole("upload.max_bytes", in: 1_000...2_000_000_000, of: "bytes"),
      pictures: PictureLimits(maxPixels: take.whole("upload.max_pixels", in: 1_000...500_000_000, of: "pixels")))
    server = try Server(
      headerTimeout: take.number("server.header_timeout", in: 0.1...3600, of: "seconds"),
      bodyTimeout: take.number("server.body_timeout", in: 0.1...3600, of: "seconds"),
      writeTimeout: take.number("server.write_timeout", in: 0.1...3600, of: "seconds"),
      leastWriteRate: take.number("server.least_write_rate", in: 1...1e9, of: "bytes per second"),
      idleTimeout: take.number("server.idle_timeout", in: 0.1...3600, of: "seconds"),
      maxConnections: take.whole("server.max_connections", in: 1...1_000_000),
      maxUploads: take.whole("server.max_uploads", in: 1...100_000),
      maxWait: take.number("server.max_wait", in: 0...600, of: "seconds"),
      processTimeout: take.number("server.process_timeout", in: 0.1...3600, of: "seconds"),
      stopTimeout: take.number("server.stop_timeout", in: 0...3600, of: "seconds"),
      corsOrigins: take.origins("server.cors_origins"),
      hosts: take.hostNames("server.hosts"),
      trustedProxies: take.prefixes("server.trusted_proxies"),
      requestsPerMinute: take.whole("server.requests_per_minute", in: 0...10_000_000))
    queue = try Queue(
      maxWaiting: take.whole("queue.max_waiting", in: 1...100_000_000),
      reserved: take.whole("queue.reserved", in: 0...1_000_000),
      maxTasks: take.whole("queue.max_tasks", in: 1...100_000),
      lease: take.number("queue.lease", in: 0.5...3600, of: "seconds"),
      maxAttempts: take.whole("queue.max_attempts", in: 1...1_000),
      backoff: take.number("queue.backoff", in: 0...3600, of: "seconds"))
    reader = try Reader(
      deadline: take.number("reader.deadline", in: 0.5...3600, of: "seconds"),
      memoryLimit: take.whole("reader.memory_limit", in: 268_435_456...1_099_511_627_776, of: "bytes"),
      recycleAfter: take.whole("reader.recycle_after", in: 1...100_000_000))
    reading = try Reading(
      timeBudget: take.number("reading.time_budget", in: 0.05...600, of: "seconds"),
      accept: take.number("reading.accept", in: 0...1),
      acceptFromDevices: take.number("reading.accept_from_devices", in: 0...1),
      refuse: take.number("reading.refuse", in: 0...1),
      multiple: take.choice("reading.multiple", of: ["true", "false"]) == "true",
      fields: FieldReading(
        rawValue: take.choice("reading.fields", of: FieldReading.allCases.map(\.rawValue))) ?? .near)
    guard reading.accept >= reading.refuse else {
      let reason = "a serial would be saved and not shown"
      guard let accept = layers.values["reading.accept"], !accept.isBuiltIn else {
        throw SettingsError(
          key: "reading.refuse", origin: layers.values["reading.refuse"]?.origin ?? "",
          problem: "must not be above reading.accept (\(reading.accept)): \(reason)")
      }
      throw SettingsError(
        key: "reading.accept", origin: accept.origin,
        problem: "must not be below reading.refuse (\(reading.refuse)): \(reason)")
    }
    fields = Fields(custom: try take.customFields("fields.custom"))
    let processes = try take.whole("tracking.processes", in: 0...64)
    tracking = try Tracking(
      processes: processes == 0 ? min(4, ProcessInfo.processInfo.activeProcessorCount) : processes,
      maxSessions: take.whole("tracking.max_sessions", in: 1...100_000),
      maxBytes: take.whole("tracking.max_bytes", in: 1_000_000...1_099_511_627_776, of: "bytes"),
      idle: take.number("tracking.idle", in: 0.1...86400, of: "seconds"),
      deadline: take.number("tracking.deadline", in: 0.5...600, of: "seconds"),
      memoryLimit: take.whole("tracking.memory_limit", in: 268_435_456...1_099_511_627_776, of: "bytes"),
      niceness: take.whole("tracking.niceness", in: 0...19),
      readers: take.whole("tracking.readers", in: 0...64),
      readShare: take.number("tracking.read_share", in: 0.05...1),
      readBudget: take.number("tracking.read_budget", in: 0.1...600, of: "seconds"))
    retention = try Retention(
      photos: take.number("retention.photos", in: 0...36500, of: "days"),
      results: take.number("retention.results", in: 0...36500, of: "days"),
      reports: take.number("retention.reports", in: 0...36500, of: "days"),
      maxBytes: take.whole("retention.max_bytes", in: 0...1_000_000_000_000_000, of: "bytes"))
    export = try Export(templates: take.optionalPath("export.templates"))
    webhooks = try take.webhooks()
    presets = try take.presets()
    warnings =
      layers.unknownVariables.map { "\($0.name) is not a setting and is ignored.\($0.advice)" }
      + layers.retired.map { "\($0.origin): \($0.key) is no longer used; remove it. \($0.reason)" }
    try take.requireAllTaken()
  }
}

import Foundation
import HTTPAPI
import JobStore
import Logging
import NIOConcurrencyHelpers
import ScanModel
import ServiceLifecycle
import Settings
import StoreConformance
import Support
import TestCluster

/// The API on a free port with a fresh store, until the end of the test.
final class RunningAPI: Sendable {
  let store: any ServerStore
  let port: Int
  let dataPath: String
  /// The routes, such as `GET /health`.
  var endpoints: [String] { Array(facts.keys) }
  /// The scope and the query parameters of each route.
  var facts: [String: EndpointFacts] { interface.endpoints }
  /// The description made from the endpoints.
  let interface: InterfaceFacts
  /// The number of health checks made.
  var checks: Int { checked.withLockedValue { $0 } }
  private let checked = NIOLockedValueBox(0)
  private let database: String?
  private let task: Task<Void, any Error>

  init(
    limits: QueueLimits = .none, logger: Logger = .silent, configure: (inout APIConfiguration) -> Void = { _ in },
    read: @escaping @Sendable (_ path: String, ReadRequest) async throws -> Reading = { _, _ in .sample(serials: []) },
    reread: @escaping @Sendable (_ photo: [UInt8], ReadRequest) async throws -> ReadAnswer = { _, _ in
      ReadAnswer(.sample(serials: []))
    }
  ) async throws {
    // In memory if the system has such a folder: tests check that files are synced, not how fast.
    let shared = "/dev/shm"
    let folder =
      FileManager.default.isWritableFile(atPath: shared) ? shared : FileManager.default.temporaryDirectory.path
    dataPath = "\(folder)/api-\(UUID().uuidString)"
    var configuration = APIConfiguration(try Settings.load(file: nil, environment: [:]), version: "1.0.0")
    configuration.settings.host = "127.0.0.1"
    configuration.settings.port = 0
    configuration.settings.workers = 1
    configuration.settings.data = dataPath
    configuration.settings.datasets = "\(dataPath)/datasets"
    configuration.settings.presets[.etched]?.parameters = ["closing": 15, "threshold": 0.07]
    configure(&configuration)
    let (store, database) = try await TestStore.open(dataPath: dataPath, limits: limits)
    (self.store, self.database) = (store, database)
    let services = APIServices(
      store: store,
      workerStatus: { [checked] in
        checked.withLockedValue { $0 += 1 }
        return .init(configured: 1, running: 1)
      }, read: read, reread: reread,
      metrics: { [MetricSample("serialscan_reader_restarts_total", help: "Restarts.", .counter(3))] })
    interface = interfaceFacts(configuration: configuration, services: services)
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let application = makeApplication(
      configuration: configuration, services: services, logger: logger
    ) { continuation.yield($0) }
    task = Task { try await application.run() }
    var iterator = ports.makeAsyncIterator()
    port = await iterator.next() ?? 0
  }

  deinit {
    task.cancel()
    Task { [store, database] in
      try? await store.close()
      if let database { try? TestCluster.dropDatabase(at: database) }
    }
    try? FileManager.default.removeItem(atPath: dataPath)
  }

  /// Files of photos, complete or not.
  var files: [String] {
    ["incoming/*", "photos/*/*"].flatMap { pattern in
      var found = glob_t()
      defer { globfree(&found) }
      guard glob("\(dataPath)/\(pattern)", 0, nil, &found) == 0 else { return [String]() }
      return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    }
  }

  /// Waiting jobs.
  func waiting() async throws -> [Job] { try await store.jobs(in: .queued, limit: 100, cursor: nil).items }

  /// The job with this id.
  func job(_ id: String?) async throws -> Job? { try await store.job(id: id ?? "") }

  /// Ends the next job as a worker does.
  func readNext(as reading: Reading) async throws {
    guard let claimed = try await store.claimNext(worker: "test", lease: 60, waiting: .seconds(20)) else { return }
    try await store.finish(claimed.claim, with: .read(reading, save: claimed.job.request.persist))
  }

  /// Stores a key and returns its text.
  func addKey(_ scopes: [AccessKey.Scope]) async throws -> String {
    let key = AccessKey()
    _ = try await store.addKey(
      id: key.id, name: key.id, hash: AccessKey.hash(ofSecret: key.secret), scopes: scopes.map(\.rawValue))
    return key.text
  }

  /// The files of photos, after waiting briefly for them to be deleted.
  func filesAfterAWhile() async throws -> [String] {
    for _ in 0..<200 {
      if files.isEmpty { return [] }
      try await Task.sleep(for: .milliseconds(10))
    }
    return files
  }
}

/// Bytes with the header of a photo, which no test decodes.
enum Photo {
  static func jpeg(width: Int = 640, height: Int = 480, content: Int = 1000) -> Data {
    var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8]
    bytes += [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255), 1, 1, 0x11, 0]
    bytes += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
    bytes += (0..<content).map { UInt8($0 % 251) } + [0xFF, 0xD9]
    return Data(bytes)
  }
}

extension Logger {
  /// Logs only critical messages.
  static var silent: Logger {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return logger
  }
}

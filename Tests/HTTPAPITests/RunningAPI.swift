import Foundation
import HTTPAPI
import JobStore
import Logging
import ReaderProtocol
import ServiceLifecycle

/// The API on a free port over a store in memory, with a folder of its own; gone at the end of the test.
final class RunningAPI: Sendable {
  let store: MemoryStore
  let port: Int
  let dataPath: String
  private let task: Task<Void, any Error>

  init(
    store: MemoryStore = MemoryStore(), keys: [AccessKey.Stored] = [],
    configure: (inout APIConfiguration) -> Void = { _ in }
  ) async throws {
    self.store = store
    // In memory where the system has such a folder: what is tested is that files are synchronised, not how fast.
    let shared = "/dev/shm"
    let folder =
      FileManager.default.isWritableFile(atPath: shared) ? shared : FileManager.default.temporaryDirectory.path
    dataPath = "\(folder)/api-\(UUID().uuidString)"
    var configuration = APIConfiguration()
    configuration.port = 0
    configuration.dataPath = dataPath
    configure(&configuration)
    var services = APIServices(
      store: store,
      waitForEnd: { id, timeout in
        let end = ContinuousClock.now + timeout
        while ContinuousClock.now < end {
          guard let job = try await store.job(id: id), !job.state.isEnd else { break }
          try await Task.sleep(for: .milliseconds(10))
        }
        return try await store.job(id: id)
      },
      secondsPerPhoto: { 2.5 }, workerStatus: { .init(configured: 1, running: 1) },
      queueDepth: {
        _ = try await store.job(id: "")
        return await store.waiting.count
      },
      cancel: { await store.cancel($0) })
    services.keys = { keys }
    services.metrics = {
      [MetricSample("serialscan_queue_depth", help: "Jobs that wait.", kind: .gauge, value: 3)]
    }
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let application = makeApplication(
      configuration: configuration, services: services, photoStorage: try PhotoStorage(dataPath: dataPath),
      logger: logger
    ) { continuation.yield($0) }
    task = Task { try await application.run() }
    var iterator = ports.makeAsyncIterator()
    port = await iterator.next() ?? 0
  }

  deinit {
    task.cancel()
    try? FileManager.default.removeItem(atPath: dataPath)
  }

  /// Files of photos, whole or not.
  var files: [String] {
    ["incoming/*", "photos/*/*"].flatMap { pattern in
      var found = glob_t()
      defer { globfree(&found) }
      guard glob("\(dataPath)/\(pattern)", 0, nil, &found) == 0 else { return [String]() }
      return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    }
  }

  /// Waits for a moment until there are none.
  func filesAfterAWhile() async throws -> [String] {
    for _ in 0..<200 where !files.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    return files
  }
}

/// Bytes of a photo that nobody decodes here, with an honest header.
enum Photo {
  static func jpeg(width: Int = 640, height: Int = 480, content: Int = 1000) -> Data {
    var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8]
    bytes += [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255), 1, 1, 0x11, 0]
    bytes += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
    bytes += (0..<content).map { UInt8($0 % 251) } + [0xFF, 0xD9]
    return Data(bytes)
  }
}

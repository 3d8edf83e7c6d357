import JobStore
import ScanModel

/// Reads photos again for information that their results don't contain: a few concurrently, and each only once for all
/// clients that request it meanwhile.
actor Rereading {
  private struct Read {
    var task: Task<[UInt8], any Error>
    var waiting: Set<UInt64>
  }

  /// The errors of endpoints that read a photo again.
  static let errors: [ErrorCode] = [
    .jobNotFound, .jobNotEnded, .imageNotFound, .photoGone, .readerUnavailable, .readerCrashed, .readerTimedOut,
    .readerOutOfMemory,
  ]

  /// The maximum number of reads. Each holds a photo in memory; one reader reads them one after another.
  private static let most = 4

  private let store: any ServerStore
  private let configuration: APIConfiguration
  private let read: @Sendable (_ photo: [UInt8], ReadRequest) async throws -> ReadAnswer
  private var reads: [String: Read] = [:]
  private var lastNumber: UInt64 = 0

  init(
    store: any ServerStore, configuration: APIConfiguration,
    read: @escaping @Sendable (_ photo: [UInt8], ReadRequest) async throws -> ReadAnswer
  ) {
    (self.store, self.configuration, self.read) = (store, configuration, read)
  }

  /// Makes a file from a photo, or waits for the one in progress under the same name. It is cancelled once all clients
  /// that requested it have disconnected.
  ///
  /// - Throws: `APIError` if too many photos are being read.
  func file(named name: String, _ make: @escaping @Sendable () async throws -> [UInt8]) async throws -> [UInt8] {
    lastNumber += 1
    let number = lastNumber
    let task: Task<[UInt8], any Error>
    if let known = reads[name] {
      task = known.task
      reads[name]?.waiting.insert(number)
    } else {
      guard reads.count < Self.most else { throw APIError.tooManyReads }
      task = Task { try await make() }
      reads[name] = Read(task: task, waiting: [number])
    }
    defer { leave(name, number) }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      Task { await self.leave(name, number) }
    }
  }

  /// Reads a job's photo as the job did.
  ///
  /// - Parameter change: Adds the requested output to the read request.
  /// - Throws: `APIError` if the photo is gone or can't be decoded, or if the reader failed.
  nonisolated func answer(on job: Job, _ change: (inout ReadRequest) -> Void) async throws -> ReadAnswer {
    let limit = configuration.settings.upload.maxBytes
    guard let photo = try await store.blobs.bytes(of: BlobName(.photo, job.request.photo), limit: limit) else {
      throw APIError.photoGone
    }
    var request = configuration.settings.readRequest
    (request.preset, request.part) = (job.request.preset, job.request.part)
    request.wantsEverySerial = job.request.everySerial
    change(&request)
    do {
      return try await read(photo, request)
    } catch let failure as ReadFailure {
      switch failure.code {
      case .notAPicture, .damagedPicture, .tooManyPixels: throw APIError.notDecodable(job.id)
      default: throw APIError(ErrorCode(failure.code), failure.detail, retryAfter: 5)
      }
    }
  }

  private func leave(_ name: String, _ number: UInt64) {
    guard reads[name]?.waiting.remove(number) != nil, let read = reads[name], read.waiting.isEmpty else { return }
    read.task.cancel()
    reads[name] = nil
  }
}

extension APIError {
  fileprivate static let tooManyReads = APIError(
    .readerUnavailable, "Other photos are being read. Try again in a moment.", retryAfter: 2)
  static func notDecodable(_ id: String) -> APIError {
    APIError(.imageNotFound, "The photo can't be decoded. /result/\(id)/photo returns the original.")
  }
}

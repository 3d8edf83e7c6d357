import Foundation
import JobStore
import ScanModel
import Testing

/// Sends and reads one photo three times. Returns the jobs' ids; the saved serial belongs to the first.
package func readPhotoThreeTimes(in store: any JobStore) async throws -> [String] {
  var ids: [String] = []
  for _ in 0..<3 {
    var job = newJob()
    job.photoHash = "aa"
    ids.append(job.id)
    _ = try await store.enqueue(job)
    let claimed = try #require(try await store.claimNext(worker: "w", lease: 600))
    try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
  }
  return ids
}

/// A job to be stored, with an id of its own.
package func newJob(priority: Int = 0, key: String? = nil, digest: String? = nil, persist: Bool = true) -> NewJob {
  let id = UUID().uuidString.lowercased()
  return NewJob(
    id: id,
    request: JobRequest(
      photo: id + ".jpg", photoBytes: 1234, preset: .etched, deviceType: "MacBook Pro", persist: persist),
    priority: priority, idempotencyKey: key, photoDigest: digest)
}

extension JobChange {
  /// The job if it was claimed, advanced or ended.
  package var advanced: Job? { if case .advanced(let job) = self { job } else { nil } }
  /// The job if a person changed it.
  package var changed: Job? { if case .changed(let job) = self { job } else { nil } }
}

/// A reading of this serial, or of none if nil.
package func reading(_ serial: String?, confidence: Double = 0.98) -> Reading {
  Reading(
    verdict: serial == nil ? .refused : .accepted,
    serials: serial.map {
      [SerialRead(serial: $0, confidence: confidence, method: "tesseract", strategy: "text", isValid: true)]
    } ?? [],
    preset: .etched, presetWasDetected: false, strategyUsed: "text", fallbackUsed: false, trace: [], notes: [],
    photoSize: PixelSize(width: 640, height: 480), processingTime: 0.4, cpuTime: 0.4)
}

/// A photo for a store that keeps no photos.
private struct NoPhoto: StagedBlob {
  func append(_ bytes: [UInt8]) async throws {}
  func inspect<Value: Sendable>(_ work: @escaping @Sendable (String) throws -> Value) async throws -> Value {
    try work("/dev/null")
  }
  func discard() async {}
}

extension JobStore {
  /// Stores a job with a photo of a few bytes.
  @discardableResult
  package func enqueue(_ job: NewJob, photo bytes: [UInt8] = [1, 2, 3]) async throws -> EnqueuedJob {
    guard let store = self as? any ServerStore else { return try await enqueue(job, photo: NoPhoto()) }
    return try await enqueue(job, photo: store.blobs.stage(bytes))
  }
}

extension SerialStore {
  /// Saves serials of two days, several sources, kinds and confidences.
  package func fill(count: Int) async throws {
    let deviceTypes = ["MacBook Pro", "iPhone 15", nil]
    let serials = ["C02XL0THJHCC", "F17ABC123", "c02lower", "DMPXL0"]
    for number in 0..<count {
      let serial = NewSerial(
        serial: serials[number % serials.count], confidence: Double(number % 10) / 10,
        source: SerialSource.allCases[number % 3], isValid: number % 5 != 0,
        deviceType: deviceTypes[number / 3 % deviceTypes.count],
        readAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(number / 2) * 1000))
      _ = try await save(serial)
    }
  }
}

/// Device types and file names with non-ASCII letters, most with an upper-case form.
let wideTexts = [
  "École", "école", "ÉCOLE 2", "Straße", "STRASSE", "İstanbul", "istanbul", "МОСКВА", "Москва", "москва 5",
  "📱 Pro", "📱 pro", "Ωmega", "Zulu", "alpha", "Alpha",
]

import Foundation
import Observation
import SerialScanClient

/// The server's functions that the app uses; `SerialScanClient` in the app, a fake in tests.
public protocol BenchServer: Sendable {
  /// Waits until a photo is read.
  func result(jobId: String) async throws -> JobResult
  /// Confirms a serial for a person.
  func confirm(jobId: String, serial: String) async throws -> ConfirmedSerial
  /// The server's health.
  func health() async throws -> Health
}

extension SerialScanClient: BenchServer {
  /// Waits until a photo is read.
  public func result(jobId: String) async throws -> JobResult { try await job(id: jobId).result() }
}

/// A photo in the list: from the shutter to its serial.
public struct PhotoRow: Sendable, Identifiable, Equatable {
  /// The status in the list.
  public enum Status: String, Sendable {
    /// In the outbox.
    case waiting = "Waiting to send"
    /// Being sent.
    case sending = "Sending"
    /// Stored by the server, waiting or being read.
    case reading = "Reading"
    /// Read, and accepted.
    case accepted = "Accepted"
    /// Read, but not accepted.
    case needsReview = "Needs review"
    /// Read without a serial.
    case noSerial = "No serial found"
    /// Can't be sent.
    case failed = "Not sent"
  }

  /// The photo's id in the outbox.
  public var id: UUID
  /// The status.
  public var status: Status
  /// The serial, if there is one.
  public var serial: String?
  /// The problem, or what to do.
  public var detail: String?
  /// The job; nil until it is sent.
  public var jobId: String?
}

/// The photos of this device: the outbox, then their results.
@MainActor @Observable public final class PhotosModel {
  /// The latest photo first.
  public private(set) var rows: [PhotoRow] = []
  /// The last error, to be shown once.
  public var alert: String?

  /// Photos that need review.
  public var toReview: [PhotoRow] { rows.filter { $0.status == .needsReview } }
  /// "8 accepted, 1 needs review, 2 waiting"
  public var summary: String {
    [
      (PhotoRow.Status.accepted, "accepted"), (.needsReview, "to review"), (.noSerial, "without serial"),
      (.failed, "not sent"),
    ].compactMap { status, name in
      let count = rows.count { $0.status == status }
      return count > 0 ? "\(count) \(name)" : nil
    }.joined(separator: ", ")
  }

  private let outbox: Outbox
  private let server: any BenchServer
  private var results: [UUID: JobResult] = [:]
  private var problems: [UUID: String] = [:]
  private var asking: Set<UUID> = []
  private var items: [OutboxItem] = []

  /// Creates a model of an outbox. It does nothing until ``observe()``.
  public init(outbox: Outbox, server: any BenchServer) {
    self.outbox = outbox
    self.server = server
  }

  /// Observes the outbox, and fetches the results of sent photos, until the task is cancelled.
  public func observe() async {
    await outbox.start()
    await withDiscardingTaskGroup { group in
      for await items in await outbox.updates() {
        self.items = items
        refresh()
        for item in items {
          guard case .sent(let jobId) = item.state, results[item.id] == nil, asking.insert(item.id).inserted
          else { continue }
          group.addTask { await self.ask(item.id, jobId) }
        }
      }
      group.cancelAll()
    }
  }

  /// Adds a photo to the outbox.
  public func add(photo: Data, deviceType: String?) async {
    await reporting { try await self.outbox.add(image: .data(photo, filename: "photo.heic"), deviceType: deviceType) }
  }

  /// Queues a refused photo again.
  public func retry(_ row: PhotoRow) async { await reporting { try await self.outbox.retry(row.id) } }

  /// Removes a photo from the list and the outbox. Its job stays on the server.
  public func remove(_ row: PhotoRow) async { await reporting { try await self.outbox.remove(row.id) } }

  /// Retries fetching a result.
  public func reload(_ row: PhotoRow) async {
    guard let jobId = row.jobId, results[row.id] == nil, asking.insert(row.id).inserted else { return }
    await ask(row.id, jobId)
  }

  /// A photo's result; nil until it is read.
  public func result(of id: UUID) -> JobResult? { results[id] }

  /// Replaces a result after a person has confirmed its serial.
  func confirmed(_ id: UUID, serial: String) {
    results[id]?.confirmedSerial = serial
    refresh()
  }

  private func ask(_ id: UUID, _ jobId: String) async {
    do {
      results[id] = try await server.result(jobId: jobId)
      problems[id] = nil
    } catch { problems[id] = error.localizedDescription }
    asking.remove(id)
    refresh()
  }

  private func refresh() { rows = items.reversed().map(row) }

  private func row(_ item: OutboxItem) -> PhotoRow {
    var row = PhotoRow(id: item.id, status: .waiting, detail: item.problem)
    switch item.state {
    case .waiting: break
    case .sending: row.status = .sending
    case .refused(_, let detail): (row.status, row.detail) = (.failed, detail)
    case .sent(let jobId):
      row.jobId = jobId
      (row.status, row.detail) = (.reading, problems[item.id])
      guard let result = results[item.id] else { break }
      row.serial = result.serial
      if result.confirmedSerial != nil || result.verdict == .accepted {
        (row.status, row.detail) = (.accepted, nil)
      } else if result.results != nil {
        (row.status, row.detail) = (.needsReview, result.results?.serials.first?.doubts?.first?.sentence)
      } else {
        (row.status, row.detail) = (.noSerial, result.failure?.recoverySuggestion ?? result.error)
      }
    }
    return row
  }

  private func reporting(_ work: () async throws -> some Sendable) async {
    do { _ = try await work() } catch { alert = error.localizedDescription }
  }
}

import JobStore

/// Draws annotated pictures: a few concurrently, and each job's only once for all clients that request it.
actor Drawings {
  /// The outcome of a drawing.
  enum Outcome: Sendable {
    /// The picture is stored with its job.
    case kept
    /// There was no room to store the picture.
    case unkept([UInt8])
    /// The photo is gone.
    case photoGone
    /// The photo can't be decoded.
    case notDrawable
  }

  private struct Drawing {
    var task: Task<Outcome, any Error>
    var waiting: Set<UInt64>
  }

  /// The maximum number of drawings. Each holds a photo in memory; one reader draws them one after another.
  private static let most = 4

  private var drawings: [String: Drawing] = [:]
  private var lastNumber: UInt64 = 0

  /// Draws a job's picture, or waits for its drawing in progress. A drawing is cancelled once all clients that
  /// requested it have disconnected.
  ///
  /// - Throws: `APIError` if too many drawings are in progress.
  func outcome(
    ofJob id: String, _ draw: @escaping @Sendable () async throws -> Outcome
  ) async throws -> Outcome {
    lastNumber += 1
    let number = lastNumber
    let task: Task<Outcome, any Error>
    if let known = drawings[id] {
      task = known.task
      drawings[id]?.waiting.insert(number)
    } else {
      guard drawings.count < Self.most else { throw APIError.tooManyDrawings }
      task = Task { try await draw() }
      drawings[id] = Drawing(task: task, waiting: [number])
    }
    defer { leave(id, number) }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      Task { await self.leave(id, number) }
    }
  }

  private func leave(_ id: String, _ number: UInt64) {
    guard drawings[id]?.waiting.remove(number) != nil, let drawing = drawings[id], drawing.waiting.isEmpty else {
      return
    }
    drawing.task.cancel()
    drawings[id] = nil
  }
}

extension APIError {
  fileprivate static let tooManyDrawings = APIError(
    .readerUnavailable, "Other photos are being drawn. Try again in a moment.", retryAfter: 2)
}

import JobStore

/// The pictures that are being drawn: a few at a time, and one of a job for all who ask for it.
actor Drawings {
  /// What a drawing comes to.
  enum Outcome: Sendable {
    /// It is kept with its job.
    case kept
    /// There was no room for it.
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

  /// Each holds a photo in memory; one reader draws them all, one after the other.
  private static let most = 4

  private var drawings: [String: Drawing] = [:]
  private var lastNumber: UInt64 = 0

  /// Has a job's picture drawn, or waits for the drawing that is under way. It is given up where all who asked have gone.
  ///
  /// - Throws: `APIError` where too many are under way.
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

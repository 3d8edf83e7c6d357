import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends an outbox's photos in a background session, which continues while the app is suspended or terminated.
///
/// ```swift
/// await outbox.stop()
/// try await uploads.begin()
/// ```
///
/// Background sessions exist only on Apple platforms; on Linux an ordinary session is used instead.
///
/// If the outbox sends a photo at the same time, the server still creates only one job, because both use its
/// Idempotency-Key.
public final class BackgroundUploads: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  /// Maximum bytes kept of a response.
  private static let answerLimit = 1 << 16

  private let outbox: Outbox
  private let lock = NSLock()
  // Protected by the lock.
  private var opened: URLSession?
  private var answers: [Int: Data] = [:]
  private var recording: [Task<Void, Never>] = []
  private var completion: (@Sendable () -> Void)?

  /// Resumes uploads of earlier runs of the app. Create one instance for each outbox, at each start of the app.
  ///
  /// - Parameters:
  ///   - identifier: the session's name, the same at each start.
  ///   - outbox: the outbox whose photos are sent.
  public init(identifier: String, outbox: Outbox) {
    self.outbox = outbox
    super.init()
    #if canImport(Darwin)
      let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
      configuration.sessionSendsLaunchEvents = true
    #else
      let configuration = URLSessionConfiguration.ephemeral
    #endif
    opened = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }

  /// Hands the waiting photos to the system. Returns their number.
  ///
  /// Call it when the app enters the background, after ``Outbox/stop()``. Call ``Outbox/start()`` when it returns.
  @discardableResult public func begin() async throws -> Int {
    guard let session = lock.withLock({ opened }) else { return 0 }
    let underWay = await withCheckedContinuation { continuation in
      session.getAllTasks { tasks in continuation.resume(returning: tasks.compactMap(\.taskDescription)) }
    }
    let uploads = try await outbox.uploads(except: Set(underWay.compactMap { UUID(uuidString: $0) }))
    for upload in uploads {
      let task = session.uploadTask(with: upload.request, fromFile: upload.form)
      task.taskDescription = upload.id.uuidString
      task.resume()
    }
    return uploads.count
  }

  /// Calls `completion` once all results are recorded. Use it in
  /// `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
  public func whenRecorded(_ completion: @escaping @Sendable () -> Void) {
    lock.withLock { self.completion = completion }
  }

  /// Ends the session after the current uploads. Call it if the outbox is no longer used.
  public func invalidate() {
    let session = lock.withLock {
      defer { opened = nil }
      return opened
    }
    session?.finishTasksAndInvalidate()
  }

  /// Collects a response.
  public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    lock.withLock {
      let answer = answers[dataTask.taskIdentifier] ?? Data()
      answers[dataTask.taskIdentifier] = answer + data.prefix(max(0, Self.answerLimit - answer.count))
    }
  }

  /// Records the result of an upload.
  public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let answer = lock.withLock { answers.removeValue(forKey: task.taskIdentifier) } ?? Data()
    guard let id = task.taskDescription.flatMap({ UUID(uuidString: $0) }) else { return }
    let status = error == nil ? (task.response as? HTTPURLResponse)?.statusCode : nil
    let reason = error?.localizedDescription
    let work = Task { [outbox] in await outbox.record(answer: answer, status: status, reason: reason, of: id) }
    lock.withLock { recording.append(work) }
  }

  /// Tells the system that all results are recorded.
  public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
    let (works, completion) = lock.withLock {
      defer { (recording, self.completion) = ([], nil) }
      return (recording, self.completion)
    }
    Task { @MainActor in
      for work in works { await work.value }
      completion?()
    }
  }
}

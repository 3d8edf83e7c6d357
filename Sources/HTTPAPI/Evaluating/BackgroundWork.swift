import Foundation
import JobStore
import Logging
import ServiceLifecycle

/// Does evaluations and sweeps that nobody waits for, two at a time; what a stop interrupts begins anew at the start.
struct BackgroundWork: Service {
  enum Kind: String, CaseIterable {
    case evaluation
    case sweep
  }

  private static let atOnce = 2

  let store: any ServerStore
  let evaluator: Evaluator
  let logger: Logger

  func run() async throws {
    do {
      try await store.resumeTasks()
    } catch {
      logger.error("Background work could not be resumed", metadata: ["error": "\(error)"])
    }
    try await cancelWhenGracefulShutdown {
      await withDiscardingTaskGroup { group in
        for _ in 0..<Self.atOnce { group.addTask { await work() } }
      }
    }
  }

  private func work() async {
    while !Task.isCancelled {
      let task = try? await store.beginNextTask(kinds: Kind.allCases.map(\.rawValue))
      if let task { await perform(task) } else { try? await Task.sleep(for: .milliseconds(500)) }
    }
  }

  private func perform(_ task: BackgroundTask) async {
    do {
      let result = try await result(of: task)
      try await store.endTask(id: task.id, with: .success(result))
    } catch is CancellationError {
      // The next start takes it up again.
    } catch {
      let problem = APIError(error) ?? .internalError
      logger.error("Background work failed", metadata: ["task": "\(task.id)", "error": "\(error)"])
      _ = try? await store.endTask(
        id: task.id, with: .failure(JobError(code: problem.code, detail: problem.detail)))
    }
  }

  /// What the work comes to, as JSON.
  private func result(of task: BackgroundTask) async throws -> String {
    let parameters = Data(task.parameters.utf8)
    switch Kind(rawValue: task.kind) {
    case .evaluation:
      let job = try JSONDecoder().decode(Evaluator.Job.self, from: parameters)
      let pictures = try evaluator.labelledPictures(job.dir)
      let evaluation = try await evaluator.evaluate(pictures, job) { done in
        await report(
          task, Double(done) / Double(max(1, pictures.count)), "\(done) of \(pictures.count) pictures")
      }
      return String(decoding: try WireFormat.encode(try evaluator.report(evaluation, of: job.dir)), as: UTF8.self)
    case .sweep:
      let job = try JSONDecoder().decode(ParameterSweep.Job.self, from: parameters)
      let sweep = ParameterSweep(evaluator: evaluator, defaults: evaluator.presets[job.preset]?.parameters ?? [:])
      let answer = try await sweep.run(job) { share, message in await report(task, share, message) }
      return String(decoding: try WireFormat.encode(answer), as: UTF8.self)
    case nil: throw APIError.internalError
    }
  }

  /// Progress is a courtesy: work goes on where it can't be stored.
  private func report(_ task: BackgroundTask, _ share: Double, _ message: String) async {
    try? await store.report(progress: advanced(0, to: share), message: message, ofTask: task.id)
  }
}

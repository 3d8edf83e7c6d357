import Foundation
import SerialReading
import Settings

/// Reads pictures on dedicated threads, each with a reader, and returns the outcomes in the order of the pictures.
final class PictureRun<Outcome: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private let progress: ProgressBar
  private var outcomes: [Outcome?]
  private var begun = 0
  private var done = 0
  private var threads = 0

  /// Starts reading, with at most as many readers as pictures.
  ///
  /// - Parameters:
  ///   - count: The number of pictures.
  ///   - readers: The number of pictures read concurrently. Each reader takes about 150 MB.
  ///   - unit: What the progress bar counts.
  ///   - read: Reads the picture at an index, on one of the threads.
  init(
    count: Int, readers: Int, unit: String = "pictures", settings: Settings,
    read: @escaping @Sendable (Int, SerialReader) -> Outcome
  ) {
    progress = ProgressBar(total: count, unit: unit)
    outcomes = Array(repeating: nil, count: count)
    threads = max(1, min(readers, count))
    for _ in 0..<threads {
      let thread = Thread { [self] in
        defer { leave() }
        guard let reader = try? makeSerialReader(settings) else { return }
        while let index = next() { store(read(index, reader), at: index) }
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  /// Waits for the outcome of a picture and returns it, once; nil if no reader could be started.
  func outcome(at index: Int) -> Outcome? {
    condition.withLock {
      guard outcomes.indices.contains(index) else { return nil }
      while outcomes[index] == nil, threads > 0 { condition.wait() }
      defer { outcomes[index] = nil }
      return outcomes[index]
    }
  }

  /// Hides the progress bar while printing to the terminal.
  func printing(_ print: () throws -> Void) rethrows {
    try condition.withLock {
      progress.clear()
      try print()
      tellProgress()
    }
  }

  /// Shows the progress bar until the end, unless there is only one picture.
  private func tellProgress() {
    if outcomes.count > 1, done < outcomes.count { progress.show(done) } else { progress.clear() }
  }

  private func leave() {
    condition.withLock {
      threads -= 1
      condition.broadcast()
    }
  }

  private func next() -> Int? {
    condition.withLock {
      guard begun < outcomes.count else { return nil }
      begun += 1
      return begun - 1
    }
  }

  private func store(_ outcome: Outcome, at index: Int) {
    condition.withLock {
      outcomes[index] = outcome
      done += 1
      tellProgress()
      condition.broadcast()
    }
  }
}

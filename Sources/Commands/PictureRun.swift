import Foundation
import SerialReading
import Settings

/// Reads pictures on threads of their own, each with a reader, and gives what came of them in the pictures' order.
final class PictureRun<Outcome: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private let progress: ProgressBar
  private var outcomes: [Outcome?]
  private var begun = 0
  private var done = 0
  private var threads = 0

  /// Starts reading; no more readers are started than there are pictures.
  ///
  /// - Parameters:
  ///   - count: The number of pictures.
  ///   - readers: Pictures read at the same time. Each reader takes some 150 MB.
  ///   - unit: What the progress bar counts.
  ///   - read: Reads the picture of an index, on one of the threads.
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

  /// Waits for what came of a picture, once; nil where no reader could be started.
  func outcome(at index: Int) -> Outcome? {
    condition.withLock {
      guard outcomes.indices.contains(index) else { return nil }
      while outcomes[index] == nil, threads > 0 { condition.wait() }
      defer { outcomes[index] = nil }
      return outcomes[index]
    }
  }

  /// Takes the progress bar away while something is printed to the terminal.
  func printing(_ print: () throws -> Void) rethrows {
    try condition.withLock {
      progress.clear()
      try print()
      fflush(nil)
      tellProgress()
    }
  }

  /// A single picture needs no bar, and none is left at the end.
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

import ArgumentParser
import ScanModel

/// Counts the results of all pictures of a command line.
struct ScanTally {
  private var accepted = 0
  private var uncertain = 0
  private var without = 0
  private var unreadable = 0
  /// Sentences about what was left out.
  var leftOut: [String] = []
  /// Pictures read by an earlier run.
  var done = 0
  /// The number of pictures planned, if the run was interrupted before it read all.
  var planned: Int?

  mutating func add(_ result: Result<Reading, ReadFailure>) {
    pictures += 1
    switch result {
    case .failure: unreadable += 1
    case .success(let reading) where reading.serials.isEmpty: without += 1
    case .success(let reading):
      accepted += reading.told.count { $0.verdict == .accepted }
      uncertain += reading.told.count { $0.verdict != .accepted }
    }
  }

  /// The number of pictures read by this run.
  private(set) var pictures = 0

  /// The summary: `23 accepted, 3 need review, 3 without serial, 1 unreadable`, and further remarks on the lines below.
  var sentence: String {
    let counts =
      "\(accepted) accepted, \(uncertain) \(uncertain == 1 ? "needs" : "need") review, \(without) without serial, \(unreadable) unreadable"
    let skipped = done > 0 ? [done == 1 ? "1 picture was read before" : "\(done) pictures were read before"] : []
    return ([counts] + skipped + leftOut + [interruption].compactMap(\.self)).joined(separator: "\n")
  }

  /// The message of an interrupted run; nil if all pictures were read.
  var interruption: String? {
    planned.map { "This is part of a run: it was interrupted after \(pictures) of \($0) pictures." }
  }

  /// The exit status if a picture has no serial, or if there are no pictures.
  static let nothingFound: Int32 = 2

  /// The exit status: 0 if every picture has an accepted serial, 1 if one needs review, 2 if one has no serial.
  var status: Int32 {
    if without + unreadable > 0 { return Self.nothingFound }
    return uncertain > 0 ? 1 : 0
  }
}

import ArgumentParser
import ScanModel

/// What came of all pictures of a command line.
struct ScanTally {
  private var accepted = 0
  private var uncertain = 0
  private var without = 0
  private var unreadable = 0
  /// What was left out, in sentences.
  var leftOut: [String] = []
  /// Pictures that an earlier run has read.
  var done = 0
  /// Pictures that were to be read, where the run was interrupted before it had read all.
  var planned: Int?

  mutating func add(_ result: Result<Reading, ReadFailure>) {
    switch result {
    case .failure: unreadable += 1
    case .success(let reading) where reading.serials.isEmpty: without += 1
    case .success(let reading):
      accepted += reading.told.count { $0.verdict == .accepted }
      uncertain += reading.told.count { $0.verdict != .accepted }
    }
  }

  /// Pictures that have a row.
  var read: Int { accepted + uncertain + without + unreadable }

  /// `23 accepted, 3 to check, 3 without, 1 unreadable`, and what else is to be said in lines below.
  var sentence: String {
    let counts = "\(accepted) accepted, \(uncertain) to check, \(without) without, \(unreadable) unreadable"
    let skipped = done > 0 ? [done == 1 ? "1 picture was read before" : "\(done) pictures were read before"] : []
    return ([counts] + skipped + leftOut + [interruption].compactMap(\.self)).joined(separator: "\n")
  }

  /// What a run that was interrupted says of itself; nil where all pictures were read.
  var interruption: String? {
    planned.map { "This is part of a run: it was interrupted after \(read) of \($0) pictures." }
  }

  /// The status where a picture gave no serial, or there was none.
  static let nothingFound: Int32 = 2

  /// 0 where every picture gave a serial that is accepted, 1 where one is to be checked, 2 where one gave none.
  var status: Int32 {
    if without + unreadable > 0 { return Self.nothingFound }
    return uncertain > 0 ? 1 : 0
  }
}

import ArgumentParser
import ReaderProtocol

/// What came of all pictures of a command line.
struct ScanTally {
  private var accepted = 0
  private var uncertain = 0
  private var without = 0
  private var unreadable = 0

  mutating func add(_ result: Result<Reading, ReadFailure>) {
    switch result {
    case .failure: unreadable += 1
    case .success(let reading) where reading.serials.isEmpty: without += 1
    case .success(let reading):
      accepted += reading.told.count { $0.verdict == .accepted }
      uncertain += reading.told.count { $0.verdict != .accepted }
    }
  }

  /// `23 accepted, 3 to check, 3 without, 1 unreadable`.
  var sentence: String {
    "\(accepted) accepted, \(uncertain) to check, \(without) without, \(unreadable) unreadable"
  }

  /// The status where a picture gave no serial, or there was none.
  static let nothingFound: Int32 = 2

  /// 0 where every picture gave a serial that is accepted, 1 where one is to be checked, 2 where one gave none.
  var status: Int32 {
    if without + unreadable > 0 { return Self.nothingFound }
    return uncertain > 0 ? 1 : 0
  }
}

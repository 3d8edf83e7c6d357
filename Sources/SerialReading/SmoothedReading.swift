import ScanModel

extension Reading {
  /// What follows the name of a strategy that ran on the photo with its noise smoothed.
  private static let suffix = "-smoothed"

  /// What a photo says that did not say anything before its noise was smoothed.
  ///
  /// The second reading is judged by itself: what both misread alike would bear itself out.
  func followed(bySmoothed second: Reading) -> Reading {
    var all = second
    all.strategyUsed += Self.suffix
    all.fallbackUsed = second.topSerial != nil
    all.serials = second.serials.map { read in
      var named = read
      named.strategy += Self.suffix
      return named
    }
    all.trace =
      trace
      + second.trace.map { entry in
        var named = entry
        named.strategy += Self.suffix
        return named
      }
    if let fields { all.fields = fields + (second.fields ?? []) }
    all.notes = notes + second.notes.filter { !notes.contains($0) }
    return all
  }
}

import ScanModel

extension Reading {
  /// The suffix of the name of a strategy that ran on the smoothed photo.
  private static let suffix = "-smoothed"

  /// Combines an empty reading with the reading of the smoothed photo.
  ///
  /// The second reading is judged on its own, because both readings may share the same misreading and confirm each
  /// other.
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

/// Merges the candidates of all strategies. Serials compete only at the same spot of the photo: two labels belong to
/// two devices and do not contradict each other.
package struct Fusion {
  private var candidates: [Candidate] = []

  package init() {}

  /// Adds the candidates of a strategy.
  package mutating func add(_ found: [Candidate]) { candidates += found }

  /// The distinct serials, most probable first.
  ///
  /// Text and code are independent witnesses, so the doubt of serials that both agree on is the product of their
  /// doubts. Another strategy that reads the same text makes the same errors, so the log-odds of text strategies are
  /// averaged: the surest one does not outvote those that saw reason to doubt.
  package var serials: [FusedSerial] {
    let fused = fused
    return fused.map { $0.weighed(against: fused) }.sorted { $0.confidence > $1.confidence }
  }

  /// Notes on codes and texts that differ, for the user to compare.
  package var notes: [String] {
    let fused = fused
    return fused.filter(\.isOfCode).compactMap { code in
      let beside = fused.filter { $0.contradicts(code) && $0.competes(with: code) }
      guard let text = beside.max(by: { $0.confidence < $1.confidence }) else {
        return nil
      }
      let advice = text.isNear(code) ? "compare both with the photo" : "check which belongs to the device"
      return "A code says \(code.serial), the text \(text.serial): \(advice)."
    }
  }

  private var fused: [FusedSerial] {
    var fused: [FusedSerial] = []
    for (candidate, spot) in zip(candidates, Spots(candidates).indices) {
      if let same = fused.firstIndex(where: { $0.serial == candidate.serial }) {
        fused[same].add(candidate, at: spot)
      } else {
        fused.append(FusedSerial(candidate, at: spot))
      }
    }
    return fused
  }
}

/// Brings together what the strategies found. Strings compete where they stand at one spot of the photo: two labels are two devices, and say
/// nothing against each other.
package struct Fusion {
  private var candidates: [Candidate] = []

  package init() {}

  /// Takes in what a strategy found.
  package mutating func add(_ found: [Candidate]) { candidates += found }

  /// The serials, most probable first, each once.
  ///
  /// Text and code that agree were read independently: what is left of doubt is the product of both doubts. The same
  /// text read again by another strategy is no second witness, since it errs alike: the strategies' log-odds are
  /// averaged, so that the one that is surest does not silence those that saw reason to doubt.
  package var serials: [FusedSerial] {
    let fused = fused
    return fused.map { $0.weighed(against: fused) }.sorted { $0.confidence > $1.confidence }
  }

  /// What the user should compare: codes and texts that say different things.
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

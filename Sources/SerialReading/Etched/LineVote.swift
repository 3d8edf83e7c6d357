import AppleSerial
import ScanModel

/// The vote on the readings of one line of etched text.
struct LineVote {
  var text: [UInt8]
  /// Whether no further reading was needed.
  var isSettled: Bool
  /// As in `TextEvidence`.
  var isUnanimousInScales: Bool
  var leastMargin: Float
  var agreement: Float
  var keyword: Float
  var fitsGrammar: Bool
  var line: Int
  var capitalHeight: Float
  var region: Quadrilateral
  /// As in `Candidate`.
  var recognised: Quadrilateral
  var ground: Double
  var glyphMargin: Double?
  /// As in `TextEvidence`.
  var latticeMargin: Double?
  var strokes: [Int: [Float]]
  /// The characters, as in `TextEvidence`.
  var characters: [CharacterRead]
  var shapes: TextEvidence.Shapes
  /// Whether its line is print that Apple devices carry.
  var isInDevicePrint: Bool

  /// The least margin of its characters times the share of readings that agreed.
  private var agreedMargin: Float { leastMargin * agreement }

  /// The value of the vote as a serial: the agreed margin, plus a bonus for a label, minus a penalty for an invalid
  /// format.
  var value: Float { agreedMargin + (keyword > 0 ? 1 : 0) - (fitsGrammar ? 0 : 1) }
}

extension LineVote {
  /// The serials of several lines, the most valuable first.
  static func candidates(of votes: [LineVote], strategy: String, textSeen: TextSeen) -> [Candidate] {
    let serious = votes.filter { $0.agreedMargin >= -0.5 }
    let groups = grouped(serious)
    return groups.compactMap { group -> (value: Float, candidate: Candidate)? in
      guard let best = group.max(by: { $0.agreedMargin < $1.agreedMargin }) else {
        return nil
      }
      let evidence = best.evidence(
        among: group, hasSign: best.isInDevicePrint || textSeen.isBesideDeviceMark(best.recognised))
      let candidate = Candidate(
        serial: best.serial, method: .tesseract, strategy: strategy,
        confidence: Calibration.confidence(evidence), evidence: evidence, roiIndex: best.line, region: best.region,
        recognised: best.recognised)
      return (group.reduce(0) { $0 + max(0.1, $1.value) }, candidate)
    }
    .sorted { $0.value > $1.value }.map(\.candidate)
  }

  /// Groups votes with the same text, in the order each was first read, so that sums over a group are reproducible to
  /// the last bit.
  private static func grouped(_ votes: [LineVote]) -> [[LineVote]] {
    votes.reduce(into: []) { groups, vote in
      if let same = groups.firstIndex(where: { $0[0].text == vote.text }) {
        groups[same].append(vote)
      } else {
        groups.append([vote])
      }
    }
  }

  private var serial: String { String(decoding: text, as: UTF8.self) }

  /// The evidence for the serial. This vote must be the surest of the group.
  private func evidence(among group: [LineVote], hasSign: Bool) -> TextEvidence {
    TextEvidence(
      leastMargin: Double(leastMargin), agreement: Double(agreement), keyword: Double(group.map(\.keyword).max() ?? 0),
      fitsGrammar: fitsGrammar, hasStrictGrammar: text.count == 12,
      hasFrequentPlant: SerialNumber(serial)?.hasFrequentPlant ?? false, capitalHeight: Double(capitalHeight),
      ground: ground, shapes: shapes, glyphMargin: glyphMargin, latticeMargin: latticeMargin, strokes: strokes,
      characters: characters, hasSign: hasSign, isUnanimousInScales: isUnanimousInScales)
  }
}

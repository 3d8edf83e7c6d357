import AppleSerial

extension CropReadings<ValueText> {
  /// The serial on which the readings agree; nil if they agree on none or the announcement doesn't allow it.
  ///
  /// - Parameter gapBefore: The gap to its label in its own line, in capital heights; 0 if it is not known. The crops end in it.
  func serial(
    announcedBy label: Announcement, _ segment: TextSegment, line: Int, gapBefore: Double
  ) -> LabelledRead? {
    guard let vote, label.allows(vote), let read = agreed()?.read else { return nil }
    let alike = readings.filter { $0.text.text.count == vote.text.count }
    return LabelledRead(
      read: read, label: label.strengths, relation: label.relation, length: length(alike),
      ground: alike.map { min(max($0.ground.before, gapBefore), $0.ground.after) }.max() ?? 0,
      isBehindText: gapBefore > 0 && gapBefore <= LabelPlace.widestSpace,
      lacksBeginning: label.relation != .above && LabelKeywords.holdsBeginningOfValue(label.text),
      capitalHeight: segment.capitalHeight, line: line)
  }

  /// The verdict of several readings' ink on their length.
  private func length(_ readings: [Reading]) -> LengthProof.Verdict {
    let verdicts = Set(readings.map { $0.ink.verdict(for: $0.text.text.count) })
    if verdicts.contains(.proven) == verdicts.contains(.refuted) { return .possible }
    return verdicts.contains(.proven) ? .proven : .refuted
  }
}

/// A serial read as a value with its label, and the evidence for it.
struct LabelledRead: Sendable {
  let read: VotedRead
  /// How strongly the label beside it announces a serial.
  let label: LabelKeywords.Strengths
  /// Position of that label; nil if there is none.
  let relation: LabelPlace.Relation?
  /// Whether the ink confirms the number of characters, over the readings.
  let length: LengthProof.Verdict
  /// Background at both ends (the smaller of the two) in the crop that shows most of it, in capital heights.
  private(set) var ground: Double
  /// Whether no more than a space is between it and the text before it in its line.
  let isBehindText: Bool
  /// Whether the value's first characters seem to stand at the end of its label.
  let lacksBeginning: Bool
  /// Whether it seems to continue in its close neighbours.
  private(set) var goesOn = false
  /// Whether a device's model number or approval mark stands beside it, as in `TextEvidence`.
  var isBesideDeviceMark = false
  /// Height of the capitals in the image that was read, in pixels.
  let capitalHeight: Float
  /// Index of the line.
  let line: Int

  /// Notes whether the value continues in its close neighbours. A space there is as good as background that the crops
  /// did not show.
  mutating func note(goesOn: Bool) {
    self.goesOn = goesOn
    if !goesOn { ground = max(ground, LengthProof.leastGround) }
  }

  var serial: String { read.serial }
  private var isPart: Bool { lacksBeginning || goesOn }
  /// Whether it is clear enough that no other line needs to be read.
  var isSettled: Bool { label.announcesSerial && length == .proven && isClear }
  /// Whether it is clear and the photo shows little else.
  var isClearCloseUp: Bool { relation == .closeUp && length != .refuted && isClear }
  private var isClear: Bool {
    read.fitsGrammar && read.isSettled && !isPart && ground >= LengthProof.leastGround
  }

  /// The greatest strength of a label as evidence.
  private static let mostOfLabel = 5.5

  func candidate(strategy: String) -> Candidate {
    read.candidate(
      strategy: strategy, line: line, keyword: label.announcesSerial ? min(Self.mostOfLabel, label.serial) : 0,
      capitalHeight: capitalHeight, ground: ground, isPart: isPart,
      hasSign: isBesideDeviceMark || (relation?.isSign ?? false), isBehindLabel: label.announcesSerial && isBehindText)
  }
}

extension StrategyOutcome {
  /// Creates the outcome of a strategy that reads values with their labels.
  init(_ reads: [LabelledRead], strategy: String, summary: String, exhaustsText: Bool = false) {
    self.init(
      candidates: reads.map { $0.candidate(strategy: strategy) }.sorted { $0.confidence > $1.confidence },
      summary: summary, exhaustsText: exhaustsText)
  }
}

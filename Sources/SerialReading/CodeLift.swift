import AppleSerial
import ScanModel

// A known configuration code confirms the last characters of a read, but not the others.

extension SerialJudgement {
  /// The least probability, 0...1, of a read that a known code raises.
  private static let leastToLift = 0.9
  /// The greatest share of a read's doubt that a known code removes. It does not confirm the characters before it.
  private static let mostLifted = 0.5
  /// The confidence below which a character is doubtful on its own.
  private static let doubtfulCharacter = 0.9

  /// The probability of a serial as reported in the result.
  ///
  /// Equals `confidence(_:)`, raised if its configuration code is known and the only doubt is how hard its characters
  /// are to read. The run decides by `confidence(_:)`, so raising a probability never skips a strategy.
  func told(_ index: Int) -> Double {
    let confidence = confidence(index)
    guard confidence >= Self.leastToLift, let share = shareOfCode(index) else { return confidence }
    return 1 - (1 - confidence) * (1 - min(Self.mostLifted, share))
  }

  /// The region of the most probable serial, in pixels of the area that is read; nil if no serial would be shown.
  var topRegion: Quadrilateral? {
    guard let top = fused.indices.max(by: { told($0) < told($1) }), told(top) >= thresholds.refuse else { return nil }
    return fused[top].read.region
  }

  /// The share of a serial's doubt that lies in its configuration code; nil if the code does not raise the probability.
  private func shareOfCode(_ index: Int) -> Double? {
    let serial = fused[index]
    guard let parsed = SerialNumber(serial.serial), codes.areSure(of: parsed), isDoubtedInCharactersAlone(index),
      let characters = serial.read.characters, characters.count == serial.serial.utf8.count,
      let code = parsed.meaning?.configurationCode.utf8.count
    else { return nil }
    let before = characters.dropLast(code)
    guard before.allSatisfy({ $0.confidence >= Self.doubtfulCharacter }), !isContradicted(parsed) else { return nil }
    let doubts = characters.map { max(0, 1 - $0.confidence) }
    let all = doubts.reduce(0, +)
    guard all > 0 else { return Double(code) / Double(characters.count) }
    return doubts.suffix(code).reduce(0, +) / all
  }

  /// Whether the legibility of its characters is the only doubt about a serial. A code that fits does not settle any
  /// other doubt.
  private func isDoubtedInCharactersAlone(_ index: Int) -> Bool {
    let serial = fused[index]
    let isWhole = !serial.isPart && !serial.isCut && !textSeen.continues(serial.serial)
    let isAlone = !serial.isOverruled && !serial.isDisputed && !serial.isRefuted
    return isWhole && isAlone && !serial.read.isPlaceholder && mostByMaker(index) == 1 && !serial.isUnsureSmallPrint
      && serial.isAnnouncedText && serial.isOfOneLength && answer(on: index) == .agrees
  }

  /// Whether a model number in the photo is known to have other configuration codes.
  private func isContradicted(_ serial: SerialNumber) -> Bool {
    FieldFinder(textSeen).fields.contains {
      $0.kind == .modelNumber && $0.confidence >= Reading.leastOfContradiction
        && codes.agreement(of: serial, withModel: $0.text) == .contradicts
    }
  }
}

import AppleSerial
import ScanModel

// A known configuration code says that the last characters of a read are right, and nothing of the others.

extension SerialJudgement {
  /// Probability of a read, 0...1, from which a known code lifts it.
  private static let leastToLift = 0.9
  /// Share of a read's doubt that a known code takes away, at most: it says nothing of the characters before it.
  private static let mostLifted = 0.5
  /// Confidence of a character below which it is a doubt of its own.
  private static let doubtfulCharacter = 0.9

  /// The probability of a serial as the result tells it: that of all that was read and asked, lifted where its configuration code is known and
  /// nothing else casts doubt on it than how hard its characters are to read.
  ///
  /// What the run does goes by the probability before: a lift spares no strategy.
  func told(_ index: Int) -> Double {
    let confidence = confidence(index)
    guard confidence >= Self.leastToLift, let share = shareOfCode(index) else { return confidence }
    return 1 - (1 - confidence) * (1 - min(Self.mostLifted, share))
  }

  /// Where the most probable serial was read, in pixels of what is read of the photo; nil where none would be shown.
  var topRegion: Quadrilateral? {
    guard let top = fused.indices.max(by: { told($0) < told($1) }), told(top) >= thresholds.refuse else { return nil }
    return fused[top].read.region
  }

  /// The share of a serial's doubt that lies in its configuration code; nil where the code lifts nothing.
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

  /// Whether nothing but its characters speaks against a serial: each doubt of another kind stands however well the code fits.
  private func isDoubtedInCharactersAlone(_ index: Int) -> Bool {
    let serial = fused[index]
    let isWhole = !serial.isPart && !serial.isCut && !textSeen.continues(serial.serial)
    let isAlone = !serial.isOverruled && !serial.isDisputed && !serial.isRefuted
    return isWhole && isAlone && !serial.read.isPlaceholder && mostByMaker(index) == 1 && serial.mostByPrint == 1
      && serial.isAnnouncedText && serial.isOfOneLength && answer(on: index) == .agrees
  }

  /// Whether a model number of the photo is known to have other codes.
  private func isContradicted(_ serial: SerialNumber) -> Bool {
    FieldFinder(textSeen).fields.contains {
      $0.kind == .modelNumber && $0.confidence >= Reading.leastOfContradiction
        && codes.agreement(of: serial, withModel: $0.text) == .contradicts
    }
  }
}

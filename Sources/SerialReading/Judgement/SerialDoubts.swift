import AppleSerial
import ScanModel

extension SerialJudgement {
  /// The most serials reported with their characters; further ones are hardly ever shown.
  private static let mostWithCharacters = 5
  /// The height of capitals in pixels below which print counts as small.
  private static let smallCapital = 10.0
  /// The most characters of a label that are reported.
  private static let longestLabel = 60

  /// The serials as reported in the result, most probable first. Those that need review carry doubts.
  package var reads: [SerialRead] {
    let reads = fused.indices.map { index in
      var read = fused[index].read
      read.label = read.region.flatMap(textSeen.label).map { Self.words(ofLabel: $0.text) }
      read.confidence = told(index)
      read.doubts = read.confidence >= thresholds.accept ? [] : doubts(of: read, index)
      return read
    }
    return reads.sorted { $0.confidence > $1.confidence }.enumerated().map {
      $0 < Self.mostWithCharacters ? $1 : $1.withoutCharacters
    }
  }

  /// The label in a line up to its value: the shortest end of the line that identifies the value as clearly as all of
  /// it.
  package static func words(ofLabel text: String) -> String {
    let words = text.split(separator: " ")
    let whole = LabelKeywords.strengths(before: text).serial
    let count = words.indices.reversed().first {
      LabelKeywords.strengths(before: words[$0...].joined(separator: " ")).serial >= whole
    }
    return String(words[(count ?? words.startIndex)...].joined(separator: " ").suffix(longestLabel))
  }

  /// The shown serials on another label or code than a serial: another device's, or misreadings of the serial there.
  package func elsewhere(than read: SerialRead, among reads: [SerialRead]) -> [SerialRead] {
    guard let own = fused.first(where: { $0.serial == read.serial }) else { return [] }
    return reads.filter { other in
      guard other.confidence >= thresholds.refuse, let fused = fused.first(where: { $0.serial == other.serial }) else {
        return false
      }
      return !fused.competes(with: own) && (fused.isDevice || fused.isNear(own))
    }
  }

  /// What else in the photo is probably another device's serial, once a serial is accepted.
  package func likelySerials(beside read: SerialRead, among reads: [SerialRead]) -> [LikelySerial] {
    guard read.confidence >= thresholds.accept, let own = fused.first(where: { $0.serial == read.serial }) else {
      return []
    }
    let shown = Set(reads.filter { $0.confidence >= thresholds.refuse }.map(\.serial))
    let others = fused.filter {
      (shown.contains($0.serial) || ($0.isAnnouncedText && $0.isMoreThanNoise)) && !$0.competes(with: own)
    }
    return LikelySerial.all(apartFrom: own, among: others, textSeen)
  }

  /// The reasons why a serial has no higher confidence, most serious first; never empty.
  private func doubts(of read: SerialRead, _ index: Int) -> [Doubt] {
    let serial = fused[index]
    let evidence = serial.evidence
    let found: [(Doubt, Bool)] = [
      (.damagedFile, isDamaged),
      (.otherFormat, !read.isValid),
      (.placeholder, read.isPlaceholder),
      (.otherMaker, read.isValid && mostByMaker(index) < 1),
      (.part, mostByPart(index) < 1),
      (.misreadCode, serial.isOverruled),
      (.otherReading, serial.isDisputed),
      (.hiddenCharacters, hidesCharacters(index)),
      (.goesOn, serial.isPart || serial.isCut || mayBeIncomplete(index)),
      (.noLabel, serial.isTextAlone && !serial.isAnnouncedText && !(evidence?.hasFrequentPlant ?? false)),
      (.unlikeLengths, serial.isTextAlone && !serial.isOfOneLength),
      (.shadow, isInShadow(index)),
      (.secondModel(answer(on: index)), answer(on: index)?.isDoubt ?? false),
      (.doubtfulCharacters, read.characters?.contains { $0.confidence < Self.doubtfulCharacter } ?? false),
      (
        .smallPrint,
        serial.isUnsureSmallPrint || (evidence?.capitalHeight ?? .infinity) < Self.smallCapital
      ),
    ]
    let doubts = found.filter(\.1).map(\.0)
    return doubts.isEmpty ? [.hardToRead] : doubts
  }
}

extension SerialRead {
  /// Whether nothing counts against it except print that is hard to read.
  var isOnlyUnclear: Bool {
    guard verdict != .accepted, let doubts, !doubts.isEmpty else { return false }
    return doubts.allSatisfy { Doubt.ofUnclearPrint.contains($0.code) }
  }

  /// Whether it is a sample or a mask, which no device has as its serial.
  var isPlaceholder: Bool { SerialNumber.isPlaceholder(serial) }

  var withoutCharacters: SerialRead {
    var read = self
    read.characters = nil
    return read
  }
}

extension Doubt {
  static let otherFormat = Doubt(code: "other_format", sentence: "Not an Apple serial format.")
  static let misreadCode = Doubt(
    code: "misread_code", sentence: "A code in the photo says nearly the same; this is probably a misreading of it.")
  static let damagedFile = Doubt(
    code: "damaged_file", sentence: "The file is damaged, so parts of the picture may be shifted or missing.")
  static let otherDevice = Doubt(
    code: "other_device", sentence: "Another serial number appears elsewhere in the photo.")
  static let otherReading = Doubt(code: "other_reading", sentence: "A different serial was read at the same place.")
  static let hiddenCharacters = Doubt(
    code: "hidden_characters", sentence: "A gap or a spot in it may hide or change a character.")
  static let goesOn = Doubt(code: "goes_on", sentence: "There may be more characters before or after it.")
  static let noLabel = Doubt(code: "no_label", sentence: "No label identifies it as a serial number.")
  static let unlikeLengths = Doubt(code: "unlike_lengths", sentence: "Other readings had a different length.")
  static func secondModel(_ answer: SecondOpinion.Answer?) -> Doubt {
    var instead: [SecondOpinion.Difference] = []
    if case .differs(_, _, let differences) = answer { instead = differences }
    let named = instead.map { "its character \($0.place + 1) as \(Character(UnicodeScalar($0.character)))" }
    let what = named.isEmpty ? "some of its characters as others" : named.joined(separator: ", and ")
    return Doubt(code: "second_model", sentence: "A second model reads \(what).")
  }
  static let shadow = Doubt(code: "shadow", sentence: "The edge of a shadow or reflection crosses it.")
  static let doubtfulCharacters = Doubt(code: "doubtful_characters", sentence: "Some characters are uncertain.")
  static let smallPrint = Doubt(code: "small_print", sentence: "The print is very small in the photo.")
  /// The codes of doubts that clearer print may settle.
  static let ofUnclearPrint: Set<String> = [
    shadow.code, secondModel(nil).code, unlikeLengths.code, doubtfulCharacters.code, smallPrint.code, hardToRead.code,
  ]
  static let hardToRead = Doubt(code: "hard_to_read", sentence: "It could not be read with enough confidence.")
}

import AppleSerial
import Foundation
import Imaging
import ScanModel

/// A vote's text with probable misreads corrected, by typical beginnings and endings of serials and by the strokes of
/// its characters.
package struct LikelyText: Sendable {
  package private(set) var text: [UInt8]
  /// The vote's margin at each place, log-odds per reading.
  package private(set) var margins: [Float]
  /// The strokes' opinion on the text; nil if they were not asked or can't be aligned with it.
  package private(set) var opinion: GlyphVote.Opinion?
  /// Whether the strokes of every `3` and `5` are separate from their neighbours' and clearly belong to one of the two.
  private(set) var hasSeenAll = false

  /// A vote's text as it was read.
  package init(_ text: [UInt8], margins: [Float]) { (self.text, self.margins) = (text, margins) }

  /// Corrects a vote's text, by its margins, its characters at each place, and the strokes of the crops.
  init(_ text: [UInt8], margins: [Float], tallies: [CharacterTally], strokes: GlyphVote) {
    self.init(text, margins: margins)
    correctBeginning(tallies)
    correctEnding()
    correctLookAlikes(strokes)
    correctThrees(strokes)
  }
}

extension LikelyText {
  private enum Beginning {
    /// Number of leading characters with a meaning.
    static let length = 5
    /// Margin from which a place stays as read: a genuine but unlisted `D23` had 3.6, misread places had 3.3 or less.
    static let clearMargin: Float = 3.45
    /// Margin below which readings are undecided on a character of the plant.
    static let unsettledMargin: Float = 2
    /// Margin of a place that was or may need to be corrected: too small for acceptance unless its strokes and the second
    /// model confirm the read. A blurred `F4H` was once read as `E4H` in all readings.
    static let most: Float = 1.5
  }

  /// Corrects a look-alike in the first five characters of a serial: plant, half-year and week, or plant, year and week,
  /// have few valid values.
  ///
  /// A beginning that breaks the grammar was misread. If the plant is unknown but a look-alike makes it a known one, the
  /// known one is likelier, because few codes are in use. The list of codes is incomplete, so the look-alike is used only
  /// if a reading has it or the readings are undecided. Otherwise the text stays and the place gets a low margin.
  package mutating func correctBeginning(_ tallies: [CharacterTally]) {
    let serial = SerialNumber(text)
    guard let format = SerialNumber.Format(length: text.count), format != .ten, serial?.hasKnownPlant != true else {
      return
    }
    let swaps = beginningSwaps(format).sorted { margins[$0.place] < margins[$1.place] }
    func first(where isLikelier: (SerialNumber) -> Bool) -> (place: Int, byte: UInt8)? {
      swaps.first { swap in
        var changed = text
        changed[swap.place] = swap.byte
        return SerialNumber(changed).map(isLikelier) ?? false
      }
    }
    guard let swap = first(where: \.hasKnownPlant) ?? (serial == nil ? first { _ in true } : nil) else { return }
    let isSeen = tallies[swap.place].entries.contains { $0.byte == swap.byte }
    let limit = serial == nil || isSeen ? Beginning.clearMargin : Beginning.unsettledMargin
    if margins[swap.place] < limit { text[swap.place] = swap.byte }
    margins[swap.place] = Beginning.most
  }

  /// All look-alikes of the characters that have a meaning.
  private func beginningSwaps(_ format: SerialNumber.Format) -> [(place: Int, byte: UInt8)] {
    (0..<Beginning.length).flatMap { place in
      var alternatives = Confusions.alternatives(to: text[place], at: place, of: format)
      // Small typefaces have slashed zeros.
      if text[place] == UInt8(ascii: "8"), format.admits(UInt8(ascii: "0"), at: place) {
        alternatives.append(UInt8(ascii: "0"))
      }
      return alternatives.map { (place, $0) }
    }
  }
}

extension LikelyText {
  private enum Ending {
    static let places = SerialNumber.Format.twelve.length - 4..<SerialNumber.Format.twelve.length
    /// Margin from which a place stays as read. In five blurred or heavily compressed photos of real etchings `JG5H` was
    /// read as `JGSH`, with margins of 0.7 to 1.1. With random characters, 7 of 11 such letters below 1.5 were correct,
    /// none confident enough to be accepted either way.
    static let clearMargin: Float = 1.2
    /// The replacement of each letter that no code contains.
    static let lookAlikes: [UInt8: UInt8] = Dictionary(uniqueKeysWithValues: zip("ABESUZ".utf8, "48F5V2".utf8))
  }

  /// Corrects a letter that no configuration code contains, if it was read with barely more weight than a look-alike that
  /// codes do contain.
  ///
  /// The last four of a serial's twelve characters name the configuration. Of some 1,900 Mac codes in OpenCorePkg's
  /// `macserial`, all but two avoid `A`, `B`, `E`, `S`, `U` and `Z`. If the readings are undecided between `5` and `S`
  /// there, it is a `5`. A clearly read letter stays, because some codes may be unlisted.
  package mutating func correctEnding() {
    guard text.count == Ending.places.upperBound else { return }
    for place in Ending.places where margins[place] < Ending.clearMargin {
      text[place] = Ending.lookAlikes[text[place]] ?? text[place]
    }
  }
}

extension LikelyText {
  private enum LookAlikes {
    /// Natural logarithm of the other character's probability, averaged over the crops, from which it is clear.
    static let clear = -0.3
    /// Lead that the other character needs in every crop, as a natural logarithm.
    static let leastLead = 0.5
    /// Margin from which a place stays as read.
    static let surelyRead: Float = 3
    /// Maximum number of corrected places: if more differ, the text is aligned with other ink.
    static let mostPlaces = 2
    /// Margin of a corrected place: its least value, its growth per unit of the strokes' lead, and its greatest value.
    static let margin = (least: 1.0, growth: 0.2, most: 2.0)
  }

  /// Corrects characters whose strokes clearly belong to a look-alike.
  ///
  /// The line recogniser also uses the neighbouring characters, so it reads an `S` with full confidence in blurred print
  /// that shows a `5`.
  package mutating func correctLookAlikes(_ strokes: GlyphVote) {
    opinion = strokes.opinion(on: text)
    let others = (opinion?.lookAlikes ?? [:]).filter { place, other in
      other.logProbability > LookAlikes.clear && other.leastLead > LookAlikes.leastLead
        && margins[place] < LookAlikes.surelyRead
    }
    guard (1...LookAlikes.mostPlaces).contains(others.count) else { return }
    var corrected = self
    for (place, other) in others {
      corrected.text[place] = other.byte
      corrected.margins[place] = Self.margin(ofLead: other.lead)
    }
    guard SerialNumber(corrected.text) != nil || SerialNumber(text) == nil else { return }
    self = corrected
    opinion = strokes.opinion(on: text)
  }

  /// The margin of a place that strokes correct.
  ///
  /// - Parameter lead: How far the strokes' character leads, as a natural logarithm.
  private static func margin(ofLead lead: Double) -> Float {
    Float(min(LookAlikes.margin.most, LookAlikes.margin.least + LookAlikes.margin.growth * lead))
  }
}

extension LikelyText {
  private enum Threes {
    /// Stroke log-odds from which a character is a `3`, and up to which it is a `5`.
    static let (three, five) = (1.0, -9.0)
    /// Stroke margin of a `3` or `5` whose strokes fit neither, the same as for a contradicted character.
    static let doubt = -4.0
  }

  /// Corrects a flat-topped `3`, which the line recogniser reads as `5` with full confidence, where strokes were asked
  /// for look-alikes before.
  ///
  /// The thresholds are fitted on generated images of both families: of 322 separate places read as `5`, 24 were a `3`.
  /// Strokes gave log-odds above 1 for a `3` at 17 of these and at none of the others, and below -9 at all but eleven of
  /// the others and at none of these. None of 277 places read as `3` was a `5`.
  package mutating func correctThrees(_ strokes: GlyphVote) {
    let read = text
    let logOdds = opinion?.threesOverFives ?? [:]
    for (place, value) in logOdds where value > Threes.three {
      let margin = Self.margin(ofLead: value - Threes.three)
      margins[place] = read[place] == UInt8(ascii: "3") ? max(margins[place], margin) : margin
      text[place] = UInt8(ascii: "3")
    }
    if text != read { opinion = strokes.opinion(on: text) }
    let asked = read.indices.filter { ShapeCheck.concerns([read[$0]]) }
    let isDoubtful = asked.contains { place in logOdds[place].map { Self.isDoubtful(read[place], $0) } ?? false }
    hasSeenAll = !isDoubtful && asked.allSatisfy { logOdds[$0] != nil }
    if isDoubtful, let least = opinion?.leastMargin { opinion?.leastMargin = min(least, Threes.doubt) }
  }

  private static func isDoubtful(_ byte: UInt8, _ logOdds: Double) -> Bool {
    logOdds <= Threes.three && (byte == UInt8(ascii: "3") || logOdds > Threes.five)
  }
}

/// Checks by their strokes the two digits that recognisers confuse with full confidence: a flat-topped `3` and a `5`.
///
/// Between the top bar and the middle a `5` has its stroke on the left, a `3` of any typeface on the right.
enum ShapeCheck {
  /// Bounds of `lean` beyond which a digit is refuted. The smallest lean of 87 fives on generated screens and labels
  /// was 0.14; nine in ten flat-topped threes read as `5` had less than -0.05. Etched digits lean less.
  private static let leastLeanOfFive = -0.1
  private static let greatestLeanOfThree = 0.47

  /// Minimum lean that confirms a `5`: the greatest of a flat-topped `3` was 0.24.
  private static let fairLeanOfFive = 0.26

  /// Whether a text has digits that this checks.
  static func concerns(_ text: [UInt8]) -> Bool { text.contains(UInt8(ascii: "3")) || text.contains(UInt8(ascii: "5")) }

  /// Whether the strokes refute a `3` or `5` of a text, if it has as many characters as there are ranges of columns.
  static func refutes(_ text: [UInt8], in columns: [Range<Int>], of crop: GrayPicture) -> Bool {
    text.count == columns.count && zip(text, columns).contains { refutes($0, lean: lean(of: $1, in: crop)) }
  }

  /// Whether a character with this lean can't be this one.
  static func refutes(_ byte: UInt8, lean: Double?) -> Bool {
    guard let lean else { return false }
    return switch byte {
    case UInt8(ascii: "5"): lean < leastLeanOfFive
    case UInt8(ascii: "3"): lean > greatestLeanOfThree
    default: false
    }
  }

  /// Whether a character's lean is too small to confirm it but not small enough to refute it.
  static func leavesOpen(_ byte: UInt8, lean: Double?) -> Bool {
    guard let lean else { return false }
    return byte == UInt8(ascii: "5") && lean < fairLeanOfFive
  }

  /// The least distance between the first and last row with ink of a character that can lean, and its least number of
  /// columns, in pixels.
  private static let least = (rows: 12, columns: 6)
  /// The rows between the top bar and the middle, as shares of the height, and the left and right columns, as shares of
  /// the width. The diagonal of a flat-topped `3` passes the middle.
  private static let (rows, left, right) = (0.22...0.36, 0...0.33, 0.42...0.9)

  /// How much darker a character is on its left than on its right between its top bar and its middle, as a natural
  /// logarithm; nil if it has almost no ink.
  static func lean(of columns: Range<Int>, in crop: GrayPicture) -> Double? {
    let inked = (0..<crop.height).filter { y in columns.contains { crop[$0, y] < LengthProof.inkLevel } }
    guard let top = inked.first, let bottom = inked.last, bottom - top >= least.rows, columns.count >= least.columns
    else { return nil }
    let height = Double(bottom - top + 1)
    let rows = (top + Int(Self.rows.lowerBound * height))...(top + Int(Self.rows.upperBound * height))
    func darkness(_ side: ClosedRange<Double>) -> Double {
      let start = columns.lowerBound + Int((side.lowerBound * Double(columns.count)).rounded())
      let part = start..<max(start + 1, columns.lowerBound + Int((side.upperBound * Double(columns.count)).rounded()))
      let sum = rows.reduce(0) { sum, y in sum + part.reduce(0) { $0 + 255 - Int(crop[$1, y]) } }
      return Double(sum) / Double(part.count * rows.count)
    }
    // Background is included, so that noise doesn't decide on faint print.
    return log((darkness(left) + leanOfNothing) / (darkness(right) + leanOfNothing))
  }

  /// Added to both sides, so that blank ones have no lean.
  private static let leanOfNothing = 8.0
}

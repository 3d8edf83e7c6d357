import AppleSerial

/// The evidence beside a value that it is a serial or something else.
struct Announcement: Sendable {
  /// How strongly it announces a serial, and how strongly something else.
  var strengths: LabelKeywords.Strengths
  /// Its position relative to the value; nil if nothing was read.
  var relation: LabelPlace.Relation?
  /// The recognised text.
  var text: String

  /// A part number in the row above, as on every About page: counts as a weak label.
  static let partNumber = Announcement(
    strengths: LabelKeywords.Strengths(serial: 1.5, other: 0), relation: .belowPartNumber, text: "")

  /// A hardware identifier in the row below, as in System Information. It identifies the row if the labels lie outside
  /// the photo.
  static let identifierBelow = Announcement(
    strengths: LabelKeywords.Strengths(serial: 0, other: 0), relation: .aboveIdentifier, text: "")

  /// A serial's label in the header of the value's column, rows above, if no label stands beside the value: usually a
  /// table.
  static let columnHeader = Announcement(
    strengths: LabelKeywords.Strengths(serial: 0, other: 0), relation: .columnHeader, text: "")

  /// The rest of a label at the photo's edge, if a serial's label may end that way.
  static func cutOff(_ text: String) -> Announcement {
    Announcement(strengths: LabelKeywords.Strengths(serial: 0, other: 0), relation: .cutOff, text: text)
  }

  /// A photo that shows little except the value, so the value was its subject.
  static let closeUp = Announcement(
    strengths: LabelKeywords.Strengths(serial: 0, other: 0), relation: .closeUp, text: "")

  /// The name of an Apple device in the lines around the value: not a label, but serials stand there without one.
  static let deviceMark = Announcement(
    strengths: LabelKeywords.Strengths(serial: 0, other: 0), relation: .besideDeviceMark, text: "")
}

extension Announcement {
  private var isSign: Bool { relation?.isSign ?? false }

  /// Whether a value that it announces is worth several readings.
  func isWorthReading(_ value: ValueText) -> Bool {
    if strengths.announcesSerial { return value.text.count >= 9 }
    return value.isPlausible && (value.text.count == 12 || isSign) && !strengths.announcesOther
  }

  /// Whether the voted text can be a serial with this announcement. A text that every reading splits into words can't:
  /// of 12 such reads of generated images none was correct.
  func allows(_ vote: ValueVote) -> Bool {
    let text = vote.string
    let digits = vote.text.count { $0 <= UInt8(ascii: "9") }
    guard (10...12).contains(vote.text.count), !vote.isParted, digits < vote.text.count,
      vote.leastMargin * vote.agreement > -0.5,
      !LookAlike.isHidden(in: text), LookAlike(text) != .cmiit,
      LookAlike(text) == nil || (strengths.serial >= 3 && digits < vote.text.count - 1)
    else { return false }
    if strengths.announcesSerial {
      return digits > 0 || strengths.serial >= LabelKeywords.Strengths.leastOfKnown || Self.isSerialOfLetters(text)
    }
    guard !strengths.announcesOther, let serial = SerialNumber(text) else { return false }
    if isSign {
      let isAsRead = vote.agreement == 1 && vote.folds == 0
      if relation == .cutOff || relation == .closeUp, vote.text.count - digits < Self.lettersAfterCutLabel {
        return false
      }
      return digits >= (isAsRead ? 1 : 2)
    }
    return serial.format == .twelve && vote.text[0] > UInt8(ascii: "9") && (2...9).contains(digits)
  }

  /// Minimum number of letters of a value after what may be the end of another label. Order, batch and telephone
  /// numbers have fewer; of ten-character serials only three in a thousand do.
  static let lettersAfterCutLabel = 3

  /// Whether letters alone are more likely a serial than a word, by their plant code or the grammar of twelve
  /// characters.
  private static func isSerialOfLetters(_ text: String) -> Bool {
    guard let serial = SerialNumber(text) else { return false }
    return serial.hasFrequentPlant || serial.format == .twelve
  }
}

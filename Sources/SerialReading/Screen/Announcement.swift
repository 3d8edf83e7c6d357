import AppleSerial

/// What says that a value is a serial, or something else.
struct Announcement: Sendable {
  /// How strongly it announces a serial, and how strongly something else.
  var strengths: LabelKeywords.Strengths
  /// Where it stands to the value; nil where nothing was read.
  var relation: LabelPlace.Relation?
  /// Its text as read.
  var text: String

  /// A part number in the row above, as on every About page: it stands for a weak label.
  static let partNumber = Announcement(
    strengths: LabelKeywords.Strengths(serial: 1.5, other: 0), relation: .belowPartNumber, text: "")

  /// The hardware's identifier in the row below, as in System Information: where the labels lie outside the photo, it tells which row it is.
  static let identifierBelow = Announcement(
    strengths: LabelKeywords.Strengths(serial: 0, other: 0), relation: .aboveIdentifier, text: "")

  /// A serial's label in the header of the value's column, rows above, where no label stands beside the value: of a table, most likely.
  static let columnHeader = Announcement(
    strengths: LabelKeywords.Strengths(serial: 0, other: 0), relation: .columnHeader, text: "")

  /// What is left of a label at the photo's edge, where a serial's label may end so.
  static func cutOff(_ text: String) -> Announcement {
    Announcement(strengths: LabelKeywords.Strengths(serial: 0, other: 0), relation: .cutOff, text: text)
  }

  /// A photo that shows little but the value: whoever took it, or cut it down, meant that.
  static let closeUp = Announcement(
    strengths: LabelKeywords.Strengths(serial: 0, other: 0), relation: .closeUp, text: "")

  /// The name of a device of Apple's in the lines about the value: no label, but where serials stand without one.
  static let deviceMark = Announcement(
    strengths: LabelKeywords.Strengths(serial: 0, other: 0), relation: .besideDeviceMark, text: "")
}

extension Announcement {
  private var isSign: Bool { relation?.isSign ?? false }

  /// Whether a value that it announces is worth being read in several ways.
  func isWorthReading(_ value: ValueText) -> Bool {
    if strengths.announcesSerial { return value.text.count >= 9 }
    return value.isPlausible && (value.text.count == 12 || isSign) && !strengths.announcesOther
  }

  /// Whether what was voted for can be a serial, announced so. Words that every reading parts are none: of 12 such reads of
  /// generated pictures of both families none was right.
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

  /// Letters that a value must have after what may be the end of another label: order, batch and telephone numbers have fewer, of
  /// serials of ten characters three in a thousand.
  static let lettersAfterCutLabel = 3

  /// Whether letters alone are more likely a serial than a word: by their plant code, or the grammar of twelve characters.
  private static func isSerialOfLetters(_ text: String) -> Bool {
    guard let serial = SerialNumber(text) else { return false }
    return serial.hasFrequentPlant || serial.format == .twelve
  }
}

import AppleSerial
import BarcodeReading

/// A serial that a code holds.
package struct SerialCode: Sendable, Equatable {
  /// How the code says that it is a serial.
  package enum Form: String, Sendable {
    /// The data identifier `S`, or a label within the payload, stands before it.
    case labelled
    /// The payload is the serial and nothing else.
    case alone
    /// One word of a longer payload, such as a link, without a label.
    case embedded
    /// The payload begins with `S`, and fits with and without it: one of two serials.
    case ambiguous
  }

  /// The serial, in upper case.
  package var serial: String
  /// How the code says so.
  package var form: Form
  /// The code.
  package var code: Barcode
  /// Index of the code among those of the picture.
  package var index: Int
  /// Probability that it is the device's serial, from the code alone, 0...1.
  package var probability: Double
}

/// Takes serials out of codes. Part numbers, IMEIs, trade items, network addresses and asset tags are left out.
package enum SerialCodes {
  /// The serials that the codes hold, the most probable first, each serial once.
  package static func serials(in codes: [Barcode]) -> [SerialCode] {
    let found = codes.enumerated().flatMap { index, code in serials(in: code, index: index) }
    var best: [SerialCode] = []
    for candidate in found.sorted(by: { $0.probability > $1.probability }) {
      guard let same = best.firstIndex(where: { $0.serial == candidate.serial }) else {
        best.append(candidate)
        continue
      }
      // A second, different code with the same serial is evidence of its own.
      if best[same].code.symbology != candidate.code.symbology || best[same].code.text != candidate.code.text {
        best[same].probability = 1 - (1 - best[same].probability) * 0.3
      }
    }
    return best.sorted { $0.probability > $1.probability }
  }

  private static func serials(in code: Barcode, index: Int) -> [SerialCode] {
    let payload = code.text.filter { $0.isASCII || $0.isLetter }
    let trimmed = String(payload.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    let forms = whole(trimmed).isEmpty ? words(of: trimmed) : whole(trimmed)
    return forms.map { serial, form in
      SerialCode(
        serial: serial, form: form, code: code, index: index,
        probability: probability(of: serial, form: form, code: code))
    }
  }

  /// The payload taken as a serial and nothing else, with or without its data identifier.
  private static func whole(_ payload: String) -> [(serial: String, form: SerialCode.Form)] {
    switch SerialPayload(payload) {
    case .plain(let serial): [(serial.text, .alone)]
    case .identified(let serial): [(serial.text, .labelled)]
    case .ambiguous(let whole, let stripped): [(whole.text, .ambiguous), (stripped.text, .ambiguous)]
    case nil: []
    }
  }

  /// Words of a longer payload: labelled ones, else, in a link or list, a single word of the structured form.
  private static func words(of payload: String) -> [(serial: String, form: SerialCode.Form)] {
    guard payload.count <= 4096 else { return [] }
    var labelled: [(serial: String, form: SerialCode.Form)] = []
    var embedded: Set<String> = []
    var before = ""
    for (word, gap) in pieces(of: payload) {
      if !gap.isEmpty { before += gap }
      if gap.contains(where: \.isNewline) { before = "" }
      let strengths = LabelKeywords.strengths(before: before)
      if strengths.announcesSerial || LabelKeywords.isSerialLabel(lastWord(of: before)) {
        if let serial = labelledSerial(word) { labelled.append((serial, .labelled)) }
      } else if !strengths.announcesOther, word.count == 12, case .plain(let serial) = SerialPayload(word),
        serial.hasFrequentPlant
      {
        embedded.insert(serial.text)
      }
      before += word
    }
    if !labelled.isEmpty { return labelled }
    return embedded.count == 1 ? embedded.map { ($0, .embedded) } : []
  }

  /// A word after a serial's label: any of the formats, or an accessory's eight characters.
  private static func labelledSerial(_ word: String) -> String? {
    if case .plain(let serial) = SerialPayload(word) { return serial.text }
    return AccessorySerial(word)?.text
  }

  /// Words of letters, digits, hyphens and slashes between letters, with what stands before each.
  private static func pieces(of payload: String) -> [(word: String, gap: String)] {
    var pieces: [(word: String, gap: String)] = []
    var (word, gap) = ("", "")
    for character in payload {
      if character.isLetter || character.isNumber {
        word.append(character)
      } else {
        if !word.isEmpty {
          pieces.append((word, gap))
          (word, gap) = ("", "")
        }
        gap.append(character)
      }
    }
    if !word.isEmpty { pieces.append((word, gap)) }
    return pieces
  }

  private static func lastWord(of text: String) -> String {
    let trimmed = text.reversed().drop { !($0.isLetter || $0.isNumber) }
    return String(trimmed.prefix { $0.isLetter || $0.isNumber || $0 == "/" }.reversed())
  }

  /// Whether a string is some letters and then six digits or more, as tickets and assets are numbered: one random serial
  /// in a thousand looks so.
  private static func isCounted(_ serial: String) -> Bool {
    let digits = serial.reversed().prefix(while: \.isNumber).count
    return digits >= 6 && serial.dropLast(digits).allSatisfy(\.isLetter)
  }

  private static func isBlank(_ character: Character) -> Bool { character.isWhitespace || character == "\0" }

  /// What such codes are worth: a check character rules out misreading, but not that the code is another number.
  private static func probability(of serial: String, form: SerialCode.Form, code: Barcode) -> Double {
    let parsed = SerialNumber(serial)
    var probability =
      switch (form, parsed?.format) {
      case (.labelled, .some): 0.99
      case (.labelled, nil): 0.9
      case (.alone, .twelve): parsed?.hasFrequentPlant == true ? 0.99 : 0.95
      case (.alone, .eleven): 0.85
      case (.alone, _): 0.7
      case (.embedded, _): 0.9
      case (.ambiguous, _): serial.count == 11 ? 0.35 : 0.5
      }
    if form != .labelled, isCounted(serial) { probability *= 0.3 }
    // Code 39 has no check character.
    if code.symbology == .code39 { probability *= code.libraries == [.zbar, .zxing] ? 0.97 : 0.85 }
    return probability
  }
}

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
      if best[same].code.isOther(than: candidate.code) {
        best[same].probability = 1 - (1 - best[same].probability) * 0.3
      }
    }
    return best.sorted { $0.probability > $1.probability }
  }

  /// The longest payload that is read, in bytes: four times what a code holds.
  static let longestPayload = 16_384

  private static func serials(in code: Barcode, index: Int) -> [SerialCode] {
    guard code.text.utf8.count <= longestPayload else { return [] }
    return forms(in: CodePayload(code.text, isGS1: code.isGS1).fields).map { serial, form in
      SerialCode(
        serial: serial, form: form, code: code, index: index,
        probability: probability(of: serial, form: form, code: code))
    }
  }

  /// Serials with a label or an identifier, else those that are all of a nameless field, else one of the structured form alone.
  private static func forms(in fields: [CodeField]) -> [(serial: String, form: SerialCode.Form)] {
    var words = SerialWords()
    for field in fields where field.role != .other { words.read(field) }
    return words.forms
  }

  /// Whether a string is some letters and then six digits or more, as tickets and assets are numbered: one random serial
  /// in a thousand looks so.
  private static func isCounted(_ serial: String) -> Bool {
    let digits = serial.reversed().prefix(while: \.isNumber).count
    return digits >= 6 && serial.dropLast(digits).allSatisfy(\.isLetter)
  }

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

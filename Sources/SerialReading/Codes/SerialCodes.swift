import AppleSerial
import BarcodeReading

/// A serial found in a code.
package struct SerialCode: Sendable, Equatable {
  /// How the code identifies the serial.
  package enum Form: String, Sendable {
    /// Preceded by the data identifier `S` or by a label within the payload.
    case labelled
    /// The whole payload is the serial.
    case alone
    /// An unlabelled word of a longer payload, such as a link.
    case embedded
    /// The payload begins with `S` and is a valid serial with and without it: one of two serials.
    case ambiguous
  }

  /// The serial, in upper case.
  package var serial: String
  /// How the code identifies it.
  package var form: Form
  /// The code that contains it.
  package var code: Barcode
  /// Index of the code among those of the picture.
  package var index: Int
  /// The probability that it is the device's serial, from the code alone, 0...1.
  package var probability: Double
}

/// Extracts serials from codes. Leaves out part numbers, IMEIs, trade items, network addresses and asset tags.
package enum SerialCodes {
  /// The serials in the codes, most probable first, each serial once.
  package static func serials(in codes: [Barcode]) -> [SerialCode] {
    let found = codes.enumerated().flatMap { index, code in serials(in: code, index: index) }
    var best: [SerialCode] = []
    for candidate in found.sorted(by: { $0.probability > $1.probability }) {
      guard let same = best.firstIndex(where: { $0.serial == candidate.serial }) else {
        best.append(candidate)
        continue
      }
      // A second, different code with the same serial is independent evidence.
      if best[same].code.isOther(than: candidate.code) {
        best[same].probability = 1 - (1 - best[same].probability) * 0.3
      }
    }
    return best.sorted { $0.probability > $1.probability }
  }

  /// The longest payload that is parsed, in bytes: four times the capacity of a code.
  static let longestPayload = 16_384

  private static func serials(in code: Barcode, index: Int) -> [SerialCode] {
    guard code.text.utf8.count <= longestPayload else { return [] }
    return forms(in: CodePayload(code.text, isGS1: code.isGS1).fields).map { serial, form in
      SerialCode(
        serial: serial, form: form, code: code, index: index,
        probability: probability(of: serial, form: form, code: code))
    }
  }

  /// The labelled or identified serials; else those that are a whole unnamed field; else the only one of the structured
  /// format.
  private static func forms(in fields: [CodeField]) -> [(serial: String, form: SerialCode.Form)] {
    var words = SerialWords()
    for field in fields where field.role != .other { words.read(field) }
    return words.forms
  }

  /// Whether a string is letters followed by six or more digits, as on tickets and asset tags. One random serial in a
  /// thousand looks like this.
  private static func isCounted(_ serial: String) -> Bool {
    let digits = serial.reversed().prefix(while: \.isNumber).count
    return digits >= 6 && serial.dropLast(digits).allSatisfy(\.isLetter)
  }

  /// The probability that a code's serial is the device's. A check character rules out misreadings, but not that the
  /// code is another number.
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

import AppleSerial

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Turns evidence into a probability.
enum Calibration {
  /// A monotone map of the score; provisional until it is fitted on labelled pictures.
  ///
  /// On real photos right reads scored 2.5 to 3.4 and the one wrong read 0.7; under artificial transformations wrong
  /// reads went up to 2.26.
  static func confidence(_ evidence: TextEvidence) -> Double {
    1 / (1 + exp(-1.7 * (evidence.score - 1.0)))
  }

  /// How sure a code's payload is to be the device's serial.
  ///
  /// Codes are hardly ever misread, but beside a serial's stand those of parts, orders and assets: the longer forms with
  /// their grammar and the data identifier tell it from them, ten characters alone hardly do.
  static func confidence(ofCode serial: SerialNumber, isIdentified: Bool) -> Double {
    let certain = isIdentified ? 0.99 : 0.97
    return switch serial.format {
    case .twelve: certain
    case .eleven: certain - 0.02
    case .ten: isIdentified ? 0.97 : 0.85
    }
  }
}

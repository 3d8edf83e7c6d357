/// A barcode's payload that is a serial, optionally after the data identifier `S` (ANSI MH10.8.2: serial number).
public enum SerialPayload: Sendable, Hashable {
  /// The whole payload is the serial.
  case plain(SerialNumber)
  /// The payload is `S` followed by the serial, and only that is valid.
  case identified(SerialNumber)
  /// Both are valid: the whole payload (the plant code `SG` exists), and the payload without its `S`.
  case ambiguous(whole: SerialNumber, stripped: SerialNumber)

  /// Parses a payload that contains only a serial. Nil if neither form is valid or it is a known look-alike.
  ///
  /// Payloads of only digits are rejected: they are trade item numbers, IMEIs or counts.
  public init?(_ payload: String) {
    // Upper-casing turns some letters beyond ASCII into ASCII ones: `ß`, `ſ`.
    guard payload.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let text = payload.uppercased()
    let rest = String(text.dropFirst())
    guard LookAlike(text) == nil, !(text.hasPrefix("S") && LookAlike(rest) != nil) else { return nil }
    let whole = Self.serial(text)
    let stripped = text.hasPrefix("S") ? Self.serial(rest) : nil
    switch (whole, stripped) {
    case (let whole?, nil): self = .plain(whole)
    case (nil, let stripped?): self = .identified(stripped)
    case (let whole?, let stripped?): self = .ambiguous(whole: whole, stripped: stripped)
    case (nil, nil): return nil
    }
  }

  private static func serial(_ text: String) -> SerialNumber? {
    guard text.utf8.contains(where: { $0 > UInt8(ascii: "9") }) else { return nil }
    return SerialNumber(text)
  }
}

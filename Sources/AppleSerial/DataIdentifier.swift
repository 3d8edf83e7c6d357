/// A barcode's payload that is a serial, perhaps behind the data identifier `S` (ANSI MH10.8.2: serial number).
public enum SerialPayload: Sendable, Hashable {
  /// The payload itself is the serial.
  case plain(SerialNumber)
  /// The payload is `S` and the serial: only this form fits the grammar.
  case identified(SerialNumber)
  /// Both forms fit: the payload taken whole (the plant code `SG` exists), and without its `S`.
  case ambiguous(whole: SerialNumber, stripped: SerialNumber)

  /// Takes a payload of one serial and nothing else; nil where neither form fits or it is a known look-alike.
  ///
  /// A string of digits alone is never taken: it is a trade item number, an IMEI or a count.
  public init?(_ payload: String) {
    // Letters beyond ASCII become some of it in capitals: `ß`, `ſ`.
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

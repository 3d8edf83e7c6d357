/// The 8-character format of some accessories' serials, the least distinctive one.
///
/// It has no structure and matches many part and approval numbers. Accept a read only with a serial label beside it or
/// from a barcode labelled as a serial.
public struct AccessorySerial: Sendable, Hashable {
  /// The serial in upper case.
  public let text: String

  /// Parses eight characters of the alphabet with at least one letter and one digit. Nil if invalid or a known
  /// look-alike.
  public init?(_ text: String) {
    let upper = text.uppercased()
    let bytes = Array(upper.utf8)
    guard text.utf8.allSatisfy({ $0 < 0x80 }), bytes.count == 8, bytes.allSatisfy(SerialNumber.isInAlphabet),
      bytes.contains(where: { $0 <= UInt8(ascii: "9") }), bytes.contains(where: { $0 > UInt8(ascii: "9") }),
      LookAlike(upper) == nil
    else { return nil }
    self.text = upper
  }
}

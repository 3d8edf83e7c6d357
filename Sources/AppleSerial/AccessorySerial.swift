/// The 8-character shape of some accessories' serials: the weakest one there is.
///
/// It has no structure and equals many part and approval numbers, so a read may be taken only with a serial's label
/// beside it or out of a barcode that is labelled as a serial.
public struct AccessorySerial: Sendable, Hashable {
  /// The serial in upper case.
  public let text: String

  /// Takes eight characters of the alphabet with at least one letter and one digit that are no known look-alike.
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

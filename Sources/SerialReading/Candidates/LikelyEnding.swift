import AppleSerial

/// Corrects a letter that no configuration code contains, if it was read with barely more weight than a look-alike that
/// codes do contain.
///
/// The last four of a serial's twelve characters name the configuration. Of some 1,900 Mac codes in OpenCorePkg's
/// `macserial`, all but two avoid `A`, `B`, `E`, `S`, `U` and `Z`. If the readings are undecided between `5` and `S`
/// there, it is a `5`. A clearly read letter stays, because some codes may be unlisted.
package struct LikelyEnding: Sendable {
  /// The text, with the likeliest ending.
  package private(set) var text: [UInt8]

  private static let places = 8..<12
  /// Margin from which a place stays as read. In five blurred or heavily compressed photos of real etchings `JG5H` was
  /// read as `JGSH`, with margins of 0.7 to 1.1. With random characters, 7 of 11 such letters below 1.5 were correct,
  /// none confident enough to be accepted either way.
  private static let clearMargin: Float = 1.2
  /// The replacement of each such letter.
  private static let lookAlikes: [UInt8: UInt8] = Dictionary(
    uniqueKeysWithValues: zip("ABESUZ".utf8, "48F5V2".utf8))

  /// Corrects the end of a vote's text.
  ///
  /// - Parameters:
  ///   - text: The vote's text.
  ///   - margins: The vote's margin at each place, log-odds per reading.
  package init(_ text: [UInt8], margins: [Float]) {
    self.text = text
    guard text.count == Self.places.upperBound else { return }
    for place in Self.places where margins[place] < Self.clearMargin {
      self.text[place] = Self.lookAlikes[text[place]] ?? text[place]
    }
  }
}

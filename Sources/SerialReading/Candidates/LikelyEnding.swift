import AppleSerial

/// Puts right a letter that no configuration code has, where it was read with hardly more weight than a look-alike that codes do have.
///
/// The last four of a serial's twelve characters name the configuration. Of the codes of Macs that OpenCorePkg's `macserial` lists, some
/// 1,900, none but two has an `A`, `B`, `E`, `S`, `U` or `Z`. Where readings of a line can't tell a `5` from an `S` there, it is a `5`. What was read
/// with ease stays as it is: there may be codes that nobody has listed.
package struct LikelyEnding: Sendable {
  /// The text, with the likeliest ending.
  package private(set) var text: [UInt8]

  private static let places = 8..<12
  /// Margin of a place from which it is left as it was read. Of blurred and badly compressed photos of real etchings five had `JGSH` for `JG5H`,
  /// with margins of 0.7 to 1.1; where characters are drawn by chance, 7 of 11 such letters with less than 1.5 were right (720 pictures), none of
  /// them sure enough to be accepted either way.
  private static let clearMargin: Float = 1.2
  /// What such a letter is taken for.
  private static let lookAlikes: [UInt8: UInt8] = Dictionary(
    uniqueKeysWithValues: zip("ABESUZ".utf8, "48F5V2".utf8))

  /// Looks at the end of what a vote has.
  ///
  /// - Parameter margins: The vote's margin of each place, log-odds a reading.
  package init(_ text: [UInt8], margins: [Float]) {
    self.text = text
    guard text.count == Self.places.upperBound else { return }
    for place in Self.places where margins[place] < Self.clearMargin {
      self.text[place] = Self.lookAlikes[text[place]] ?? text[place]
    }
  }
}

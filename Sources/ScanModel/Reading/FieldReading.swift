/// The fields next to a serial, such as the model number or the IMEI, that are reported.
public enum FieldReading: String, Codable, Sendable, CaseIterable {
  /// None.
  case none = "false"
  /// Those in the lines read for the serial and in a few lines next to it. Takes at most 10% more time.
  case near = "true"
  /// Those in all detected lines, such as the IMEIs of an About page.
  case all
}

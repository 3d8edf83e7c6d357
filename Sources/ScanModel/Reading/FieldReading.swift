/// Which fields next to a serial, such as the model number or the IMEI, are reported.
public enum FieldReading: String, Codable, Sendable, CaseIterable {
  /// None.
  case none = "false"
  /// Those in lines that were read for the serial, and in a few lines next to it: at most a tenth more time.
  case near = "true"
  /// Those in all lines that were found, such as the IMEIs of an About page.
  case all
}

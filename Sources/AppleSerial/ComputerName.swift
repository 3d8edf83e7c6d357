/// Names that administrators give to computers, made of a short name of the device and its serial: `MBP-C02XL0THJHCC`.
public enum ComputerName {
  private static let beginnings: Set<String> = [
    "IMAC", "IPAD", "IPHONE", "MAC", "MACBOOK", "MACBOOKAIR", "MACBOOKPRO", "MACMINI", "MACPRO", "MBA", "MBK", "MBP",
    "MMINI",
  ]

  /// Whether a text ends with such a short name and a hyphen.
  public static func begins(_ text: some StringProtocol) -> Bool {
    guard text.last == "-" else { return false }
    return beginnings.contains(text.dropLast().split(separator: " ").last?.uppercased() ?? "")
  }
}

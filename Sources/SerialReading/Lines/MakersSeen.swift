import TextReading

/// The makers of devices that are named in one photo, by whatever strategy they were read.
///
/// The serials of some have the shape of Apple's, and the same label stands before them.
package struct MakersSeen {
  private var isAppleNamed = false
  private var isOtherNamed = false

  /// Mean confidence of a line, 0...100, from which names in it count.
  private static let leastConfidence: Float = 95
  private static let apple: Set<String> = [
    "apple", "iphone", "ipad", "ipod", "macbook", "imac", "macos", "airpods", "airtag", "homepod", "watchos",
  ]
  /// Names that other things have in other letters: `MAC` addresses, Cisco's `IOS`.
  private static let appleInThisCase: Set<String> = ["Mac", "iOS"]
  /// Makers, and devices that are named without theirs: of computers, telephones, printers, and what stands beside them.
  private static let others: Set<String> = [
    "acer", "asus", "brother", "canon", "cisco", "dell", "elitebook", "epson", "fujitsu", "garmin", "hewlett", "huawei",
    "kyocera", "laserjet", "lenovo", "logitech", "motorola", "netgear", "nintendo", "nokia", "officejet", "panasonic",
    "philips", "probook", "samsung", "sandisk", "seagate", "sony", "thinkpad", "toshiba", "xiaomi", "zebra",
  ]

  package init() {}

  /// Notes the names in a line.
  package mutating func note(_ line: TextLine) {
    guard line.meanConfidence >= Self.leastConfidence else { return }
    for word in line.text.split(whereSeparator: { !$0.isLetter }).map(String.init) {
      isAppleNamed =
        isAppleNamed || Self.apple.contains(word.lowercased()) || Self.appleInThisCase.contains(word)
      isOtherNamed = isOtherNamed || Self.others.contains(word.lowercased())
    }
  }

  /// Whether other makers are named, and neither Apple nor a device of Apple's.
  package var areOthersAlone: Bool { isOtherNamed && !isAppleNamed }
}

// Which serials other makers give their devices too.

extension SerialNumber {
  /// Whether it is mostly digits: at least eight of ten characters, or nine of eleven or twelve without a known plant.
  ///
  /// This holds for one in 700 random serials of ten characters, one in 1,800 of twelve, and for fewer of eleven, but for
  /// most order numbers, many serials of other makers (`5CG7576492`) and numbers of taxpayers (`GB802209547`).
  public var isMostlyDigits: Bool {
    let digits = text.utf8.count { $0 <= UInt8(ascii: "9") }
    return digits >= (format == .ten ? 8 : 9) && !hasKnownPlant
  }

  /// Whether it ends in a running number, as other makers' serials do: `HBMT22700048`, `YLNP012345`.
  ///
  /// Six digits end one in 1,500 random serials of ten characters. Of the 4,460 configuration codes that OpenCorePkg lists
  /// (`macserial/modelinfo_autogen.h`) five are four digits, of 4,643 of the older format 37 are three, so that five digits
  /// end at most one in 1,500 of the longer ones.
  public var endsInRunningNumber: Bool {
    text.utf8.suffix(format == .ten ? 6 : 5).allSatisfy { $0 <= UInt8(ascii: "9") } && !hasKnownPlant
  }

  /// Whether it has the format of another maker's serial.
  ///
  /// Of random serials without a known plant, one in 3,700 has HP's ten characters with a date, one in 18,000 those that
  /// end in five digits, one in 28,000 GivEnergy's, and one in 1,200 that of an optical network terminal. No Apple serial
  /// is known to begin like Western Digital's and LG's.
  public var isShapedLikeOthers: Bool {
    switch format {
    case .ten:
      let hasWeek = hasNumber(1...53, at: 4)
      return beginsLikeHPs && (hasWeek && has(.datedOfHP) || has(.numberedOfHP)) || hasWeek && has(.ofGivEnergy)
    case .eleven: return false
    case .twelve:
      let hasMonth = hasNumber(1...12, at: 1)
      return ["WC", "WD", "WM", "WX"].contains { text.hasPrefix($0) } || hasMonth && has(.ofLG)
        || has(.ofTerminal) && !hasKnownPlant
    }
  }

  /// Whether it is as likely another maker's as Apple's where nothing names the maker.
  ///
  /// Holds for ten characters that begin like those of Aruba's and Hewlett Packard Enterprise's network devices
  /// (`CNF8K2X1AB`, `SG6BFLX0ND`) or of Motorola's phones (`ZY224C5ABC`), as one in 380 random serials does.
  public var mayBeOfOthers: Bool {
    format == .ten && ["CN", "SG", "TW", "ZY2", "ZY3"].contains { text.hasPrefix($0) }
  }

  /// Whether it begins with a country of HP's plants. An `S` is compared as `5`, and an `I` as `1`, as which they are read.
  private var beginsLikeHPs: Bool { Self.countriesOfHP.contains(text.prefix(2).replacing("S", with: "5")) }

  /// Countries with which HP's serials begin: of plants of computers (`5CG9443407`), monitors (`CNK8181G2C`), servers and
  /// printers (`VNB3K12345`).
  private static let countriesOfHP: Set<Substring> = [
    "1N", "2C", "2M", "2U", "3C", "4C", "5C", "5G", "6C", "7C", "8C", "BR", "CN", "CZ", "GB", "JP", "KR", "MX", "MY",
    "PH", "TH", "TR", "TW", "U5", "VN",
  ]

  private func has(_ shape: ShapePattern) -> Bool { shape.matches(Array(text.utf8)) }

  /// Whether the two characters at a position are a number in a range.
  private func hasNumber(_ range: ClosedRange<Int>, at position: Int) -> Bool {
    let digits = text.dropFirst(position).prefix(2)
    return Int(digits).map(range.contains) ?? false
  }
}

extension ShapePattern {
  /// `5CG9443407`, with a week at its fifth character.
  fileprivate static let datedOfHP = ShapePattern("%%%###%%%%")
  /// `VNB3K12345`.
  fileprivate static let numberedOfHP = ShapePattern("%%%%%#####")
  /// Inverters: `CE2146G123`, with a week at its fifth character.
  fileprivate static let ofGivEnergy = ShapePattern("@@####@###")
  /// `908NTLE1K215`, with a month at its second character.
  fileprivate static let ofLG = ShapePattern("###@@@@%%%%%")
  /// Optical network terminals (ITU-T G.984.3): `FSCM99A6BCEC`.
  fileprivate static let ofTerminal = ShapePattern("@@@@~~~~~~~~")
}

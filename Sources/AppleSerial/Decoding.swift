/// The decoded positions of a structured serial (OpenCorePkg, `macserial/FORMAT.md`).
public struct SerialMeaning: Sendable, Hashable {
  /// The plant code: three characters, two in the 11-character format.
  public let plant: String
  /// The possible years: two if the half-year letter was reused.
  public let years: [Int]
  /// The week of the year, 1...53.
  public let week: Int
  /// The unit within plant and week: three characters.
  public let unit: String
  /// The code of the exact product: four characters, three in the 11-character format.
  public let configurationCode: String

  /// Returns those of `years` in which a model can have been made, by the years in its name: "MacBook Pro (16-inch,
  /// 2019)". Returns all if the name has no year, or excludes all of them.
  ///
  /// - Parameter model: The model's name, or nil.
  public func years(ofModel model: String?) -> [Int] {
    let named = (model ?? "").split { !$0.isNumber }.filter { $0.count == 4 }.compactMap { Int($0) }
      .filter { (2000..<2100).contains($0) }
    guard let first = named.min(), let last = named.max() else { return years }
    let possible = years.filter { $0 >= first - Self.yearsBefore && $0 <= last + Self.yearsAfter }
    return possible.isEmpty ? years : possible
  }

  /// A model released in January is made in December.
  private static let yearsBefore = 1
  /// The number of years for which Apple has made a model at most after the last year in its name, with a margin: the
  /// Mac Pro of 2013 until 2019.
  private static let yearsAfter = 8
}

extension SerialNumber {
  /// The decoded serial; nil for the 10-character format, which has no structure.
  public var meaning: SerialMeaning? {
    let bytes = Array(text.utf8)
    switch format {
    case .ten: return nil
    case .eleven:
      let digits = bytes[2...4].map { Int($0 - UInt8(ascii: "0")) }
      return SerialMeaning(
        plant: String(text.prefix(2)), years: digits[0] == 0 ? [2000, 2010] : [2000 + digits[0]],
        week: digits[1] * 10 + digits[2], unit: slice(bytes, 5..<8), configurationCode: slice(bytes, 8..<11))
    case .twelve:
      guard let halfYear = Self.orderedHalfYears.firstIndex(of: bytes[3]),
        let ordinal = Self.orderedWeeks.firstIndex(of: bytes[4])
      else { return nil }
      let first = 2010 + halfYear / 2
      let isSecondHalf = halfYear % 2 == 1
      let isLastWeek = ordinal == Self.orderedWeeks.count - 1
      return SerialMeaning(
        plant: String(text.prefix(3)), years: first <= 2011 ? [first, first + 10] : [first],
        week: isLastWeek ? 53 : ordinal + 1 + (isSecondHalf ? 26 : 0),
        unit: slice(bytes, 5..<8), configurationCode: slice(bytes, 8..<12))
    }
  }

  /// Whether the serial begins with a frequent plant code. Use it as a prior, never as a filter.
  ///
  /// The two-character codes of the 11-character format are not listed, and the 10-character format has none.
  public var hasFrequentPlant: Bool { format == .twelve && Self.frequentPlants.contains(String(text.prefix(3))) }

  /// Plant codes of 12-character serials seen on photos and in public lists.
  public static let frequentPlants: Set<String> = [
    "C02", "C07", "C17", "C1M", "C2V", "C3D", "CK2", "D25", "DCP", "DLX", "DMP", "DMQ", "DN6", "DQG", "DY3", "F17",
    "F18", "F2L", "F4H", "F5K", "F70", "FC7", "FD1", "FF1", "FK1", "FVF", "FVH", "FYJ", "G0N", "G6T", "G8W", "GG7",
    "H95", "HCR", "J92", "J9L", "JWP", "MJV", "RM1", "SC0", "W8X",
  ]

  /// Whether the serial begins with a known plant code. Use it as a prior, never as a filter.
  public var hasKnownPlant: Bool {
    hasFrequentPlant || (format == .eleven && Self.shortPlants.contains(String(text.prefix(2))))
  }

  /// Plant codes of 11-character serials (OpenCorePkg, `macserial/modelinfo.h`).
  private static let shortPlants: Set<String> = [
    "1C", "4H", "73", "7J", "C0", "C3", "C7", "CK", "CY", "DL", "DM", "EE", "F1", "F2", "F7", "FC", "FK", "G8", "H0",
    "MB", "MQ", "PT", "QP", "QT", "RM", "RN", "SG", "UV", "VM", "W8", "WQ", "XA", "XB", "YM",
  ]

  /// Whether ten characters are probably the first ones of an older serial whose end is missing: they begin with a
  /// frequent plant code, half-year and week, or with a known plant code of two characters, year and week. One in 1,130
  /// random strings does.
  public var isProbablyBeginning: Bool {
    guard format == .ten else { return false }
    return [SerialNumber(text + "00"), SerialNumber(text + "0")].contains { $0?.hasKnownPlant ?? false }
  }

  /// Two letters per year from 2010; 2020 starts again at `C`.
  private static let orderedHalfYears = Array("CDFGHJKLMNPQRSTVWXYZ".utf8)
  private static let orderedWeeks = Array("123456789CDFGHJKLMNPQRTVWXY".utf8)

  private func slice(_ bytes: [UInt8], _ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

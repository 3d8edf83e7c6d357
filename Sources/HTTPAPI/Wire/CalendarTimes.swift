import Foundation
import Support

/// A day of the years 1970 to 9999.
package struct CalendarDay: Sendable {
  private let year: Int
  private let month: Int
  private let day: Int

  /// Parses `2026-01-31`; nil if invalid, including days that the month does not have.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count == 10 else { return nil }
    let parts = text.pieces(between: "-", omittingEmpty: false)
    guard parts.map(\.utf8.count) == [4, 2, 2], let year = parts[0].digits, let month = parts[1].digits,
      let day = parts[2].digits, (1970...9999).contains(year), (1...12).contains(month)
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...lengths[month - 1]).contains(day) else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// The start of the day in UTC.
  package var start: Date {
    // Leap days before this year, in the proleptic Gregorian calendar.
    let before = year - 1
    let leapDays = before / 4 - before / 100 + before / 400 - (1969 / 4 - 1969 / 100 + 1969 / 400)
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    let days = (year - 1970) * 365 + leapDays + lengths.prefix(month - 1).reduce(0, +) + day - 1
    return Date(timeIntervalSince1970: Double(days) * 86_400)
  }

  /// Returns the start of the day and of the next one in a time zone. If clocks change, a day has 23 or 25 hours.
  func bounds(in zone: TimeZone) -> (start: Date, end: Date) {
    if zone.secondsFromGMT() == 0, zone.nextDaylightSavingTimeTransition == nil {
      return (start, start.addingTimeInterval(86_400))
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let noon = calendar.date(from: DateComponents(year: year, month: month, day: day, hour: 12)) ?? start
    let next = calendar.date(byAdding: .day, value: 1, to: noon) ?? noon.addingTimeInterval(86_400)
    return (calendar.startOfDay(for: noon), calendar.startOfDay(for: next))
  }
}

/// The time range of a list or an export, and the time zone of its days.
struct TimeRange: Codable, WireObject {
  static let wireName = "TimeRange"
  static let wireNotes: [String: Schema] = [
    "": .about("The requested times, and the time zone of days.")
  ]

  /// A time zone by its IANA name.
  struct Zone: Sendable {
    var zone = TimeZone.gmt
    var name = "UTC"
  }

  /// A day or a time.
  enum Bound: Sendable {
    case day(CalendarDay)
    case time(Date)

    fileprivate func moments(in zone: TimeZone) -> (start: Date, end: Date) {
      switch self {
      case .day(let day): day.bounds(in: zone)
      case .time(let time): (time, time)
      }
    }
  }

  private static let from = bound(
    "date_from", "Read on this day of the zone `tz`, or at this RFC 3339 time, or later.")
  private static let until = bound(
    "date_to", "Read on this day of the zone `tz` or earlier, or before this RFC 3339 time.")
  private static let zone = Parameter<Zone>(
    "tz", "The IANA name of the time zone of days, such as Europe/Berlin. Default: UTC."
  ) { _ in
    Schema(["type": "string", "pattern": "^$|^UTC$|^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)+$"]).with(.longest(64))
  } parse: { text in
    guard let name = try Parameter<String?>.text("tz", limit: 64, "").value(of: text) else { return Zone() }
    // Accepts only names: offsets and abbreviations do not say when clocks change.
    let isName = name == "UTC" || name.pieces(between: "/").count > 1
    guard isName, let zone = TimeZone(identifier: name) else {
      throw APIError.invalidParameter(
        "tz", "must be the IANA name of a time zone, such as Europe/Berlin (got \(name.shown))")
    }
    return Zone(zone: zone, name: name)
  }

  /// The query parameters.
  static let parameters: [any DeclaredParameter] = [from, until, zone]

  /// The earliest time; nil for any.
  @ExplicitNull var from: Date?
  /// The time before which the range ends; nil for any.
  @ExplicitNull var until: Date?
  /// The IANA name of the time zone, such as `Europe/Berlin`.
  var tz: String

  /// Parses `date_from` and `date_to`: RFC 3339 times, or days in the zone `tz`; the day `date_to` is included.
  init(_ query: Query) throws {
    let zone = try query[Self.zone]
    tz = zone.name
    let first = try query[Self.from]?.moments(in: zone.zone)
    let last = try query[Self.until]?.moments(in: zone.zone)
    (from, until) = (first?.start, last.map { min($0.end, Date.lastOfRFC3339) })
    if let first, let last, first.start > last.start, first.start >= last.end {
      throw APIError.invalidParameter("date_from", "must not be after the end of the range")
    }
  }

  private static func bound(_ name: String, _ about: String) -> Parameter<Bound?> {
    Parameter(name, about) { _ in
      Schema(["type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt][0-9:.]+([Zz]|[-+ ][0-9:]+))?$"]).with(
        .longest(64))
    } parse: { text in
      guard let text else { return nil }
      if let day = CalendarDay(text) { return .day(day) }
      // A plus sign not encoded as %2B was decoded as a space.
      let bytes = text.utf8.prefix(100).map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "+") : $0 }
      guard text.utf8.count < 100, let time = Date(rfc3339: String(decoding: bytes, as: UTF8.self)) else {
        throw APIError.invalidParameter(
          name,
          "must be a day like 2026-01-31 or a time like 2026-01-31T12:00:00+01:00, of the years 1970 to 9999 (got "
            + "\(text.shown))")
      }
      return .time(time)
    }
  }
}

extension Date {
  /// The last second of the year 9999.
  fileprivate static let lastOfRFC3339 = Date(timeIntervalSince1970: 253_402_300_799)

  /// Parses an RFC 3339 time such as `2026-01-31T12:00:00.25+01:00`, of the years 1970 to 9999; nil if invalid,
  /// including days, hours and offsets that do not exist, and leap seconds.
  init?(rfc3339 text: String) {
    guard text.utf8.count <= 64, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let day = text.prefix(10)
    let clock = text.dropFirst(10)
    guard let start = CalendarDay(day)?.start, clock.hasPrefix("T") || clock.hasPrefix("t"),
      let offsetAt = clock.utf8.lastIndex(where: "Zz+-".utf8.contains),
      let seconds = Self.seconds(ofClock: clock[..<offsetAt].dropFirst()),
      let offset = Self.seconds(ofOffset: clock[offsetAt...])
    else { return nil }
    self = start.addingTimeInterval(seconds - offset)
    guard (0..<253_402_300_800).contains(timeIntervalSince1970) else { return nil }
  }

  /// Parses `12:00:00` or `12:00:00.25`.
  private static func seconds(ofClock text: Substring) -> Double? {
    let parts = text.pieces(between: ".", omittingEmpty: false)
    guard parts.count <= 2 else { return nil }
    let clock = parts.first?.pieces(between: ":", omittingEmpty: false) ?? []
    guard clock.map(\.utf8.count) == [2, 2, 2], let hour = clock[0].digits, let minute = clock[1].digits,
      let second = clock[2].digits, hour < 24, minute < 60, second < 60
    else { return nil }
    guard parts.count == 2 else { return Double(hour * 3600 + minute * 60 + second) }
    // Times are stored in microseconds, so further digits are ignored.
    guard !parts[1].isEmpty, parts[1].allSatisfy(\.isDigit), let fraction = Double("0.\(parts[1].prefix(6))") else {
      return nil
    }
    return Double(hour * 3600 + minute * 60 + second) + fraction
  }

  /// Parses `Z` or `+01:00`.
  private static func seconds(ofOffset text: Substring) -> Double? {
    if text == "Z" || text == "z" { return 0 }
    let parts = text.dropFirst().pieces(between: ":", omittingEmpty: false)
    guard parts.map(\.utf8.count) == [2, 2], let hours = parts[0].digits, let minutes = parts[1].digits, hours < 24,
      minutes < 60
    else { return nil }
    return Double(hours * 3600 + minutes * 60) * (text.first == "-" ? -1 : 1)
  }
}

extension Substring {
  /// The number that the decimal digits form; nil if there is any other character.
  fileprivate var digits: Int? { allSatisfy(\.isDigit) ? Int(self) : nil }
}

extension Character {
  fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}

import Foundation

/// A day in UTC, of the years 1970 to 9999.
struct CalendarDay {
  /// Its first moment.
  var start: Date
  /// The next day's first moment.
  var end: Date { start.addingTimeInterval(86_400) }

  /// Takes `2026-01-31`; anything else is 422, also a day that no month has.
  init(_ text: String, name: String) throws {
    guard let day = CalendarDay(text[...]) else {
      throw APIError.invalidParameter(name, "must be a day like 2026-01-31, of the years 1970 to 9999")
    }
    self = day
  }

  fileprivate init?(_ text: Substring) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2], let year = parts[0].digits, let month = parts[1].digits,
      let day = parts[2].digits, (1970...9999).contains(year), (1...12).contains(month)
    else { return nil }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...lengths[month - 1]).contains(day) else { return nil }
    // Leap days before this year, in the calendar that has always been Gregorian.
    let before = year - 1
    let leapDays = before / 4 - before / 100 + before / 400 - (1969 / 4 - 1969 / 100 + 1969 / 400)
    let days = (year - 1970) * 365 + leapDays + lengths[..<(month - 1)].reduce(0, +) + day - 1
    start = Date(timeIntervalSince1970: Double(days) * 86_400)
  }
}

extension Date {
  /// A time as RFC 3339 writes it, `2026-01-31T12:00:00.25+01:00`, of the years 1970 to 9999; nil for anything else, also
  /// for a day, an hour or an offset that there is none, and for the 61st second of a minute.
  init?(rfc3339 text: String) {
    guard text.utf8.count <= 64, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let day = text.prefix(10)
    let clock = text.dropFirst(10)
    guard let start = CalendarDay(day)?.start, clock.first == "T" || clock.first == "t",
      let offsetAt = clock.lastIndex(where: { "Zz+-".contains($0) }),
      let seconds = Self.seconds(ofClock: clock[..<offsetAt].dropFirst()),
      let offset = Self.seconds(ofOffset: clock[offsetAt...])
    else { return nil }
    self = start.addingTimeInterval(seconds - offset)
    guard (0..<253_402_300_800).contains(timeIntervalSince1970) else { return nil }
  }

  /// `12:00:00` or `12:00:00.25`.
  private static func seconds(ofClock text: Substring) -> Double? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let clock = parts.first?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    guard clock.map(\.utf8.count) == [2, 2, 2], let hour = clock[0].digits, let minute = clock[1].digits,
      let second = clock[2].digits, hour < 24, minute < 60, second < 60
    else { return nil }
    guard parts.count == 2 else { return Double(hour * 3600 + minute * 60 + second) }
    // Further digits say nothing: times are kept to the microsecond.
    guard !parts[1].isEmpty, parts[1].allSatisfy(\.isDigit), let fraction = Double("0.\(parts[1].prefix(6))") else {
      return nil
    }
    return Double(hour * 3600 + minute * 60 + second) + fraction
  }

  /// `Z` or `+01:00`.
  private static func seconds(ofOffset text: Substring) -> Double? {
    if text == "Z" || text == "z" { return 0 }
    let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [2, 2], let hours = parts[0].digits, let minutes = parts[1].digits, hours < 24,
      minutes < 60
    else { return nil }
    return Double(hours * 3600 + minutes * 60) * (text.first == "-" ? -1 : 1)
  }
}

extension Substring {
  /// The number that decimal digits are; nil where anything else is among them.
  fileprivate var digits: Int? { allSatisfy(\.isDigit) ? Int(self) : nil }
}

extension Character {
  fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}

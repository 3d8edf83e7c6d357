import Foundation

/// Number of photos by verdict.
public struct VerdictCounts: Sendable, Equatable {
  /// Accepted photos: the serial is reliable.
  public var accepted: Int
  /// Photos whose serial needs review.
  public var uncertain: Int
  /// Photos without a serial, for any reason.
  public var refused: Int

  /// Creates counts; negative ones become 0.
  public init(accepted: Int = 0, uncertain: Int = 0, refused: Int = 0) {
    self.accepted = max(0, accepted)
    self.uncertain = max(0, uncertain)
    self.refused = max(0, refused)
  }

  fileprivate static func + (one: Self, other: Self) -> Self {
    VerdictCounts(
      accepted: one.accepted &+ other.accepted, uncertain: one.uncertain &+ other.uncertain,
      refused: one.refused &+ other.refused)
  }
}

/// Verdict counts over time, including those of deleted jobs.
public struct VerdictStatistics: Sendable, Equatable {
  /// By the day (YYYY-MM-DD, UTC) on which the jobs ended, for the latest days, without days that had none.
  public private(set) var byDay: [String: VerdictCounts] = [:]
  /// By hour (such as 2026-11-21T05:00:00Z), for the latest 24 including the current one, without hours that had none.
  public private(set) var byHour: [String: VerdictCounts] = [:]

  /// Number of hours reported.
  private static let hours: Int64 = 24
  /// The hours since 1970 of the years with four digits.
  private static let known: Range<Int64> = 0..<70_389_528

  /// Aggregates hourly counts.
  ///
  /// - Parameters:
  ///   - counts: Counts by hour since 1970. Hours before `firstHour` and after the current one are ignored.
  ///   - days: Number of days, including today.
  ///   - thisHour: The current hour since 1970.
  package init(_ counts: [(hour: Int64, counts: VerdictCounts)], days: Int, thisHour: Int64) {
    let firstDay = Self.firstDay(of: days, at: thisHour)
    for (hour, counts) in counts where hour <= thisHour && Self.known.contains(hour) {
      let name = Date(timeIntervalSince1970: Double(hour) * 3600).ISO8601Format()
      let day = String(name.prefix(10))
      if hour / 24 >= firstDay { byDay[day] = counts + byDay[day, default: VerdictCounts()] }
      if hour > thisHour &- Self.hours { byHour[name] = counts + byHour[name, default: VerdictCounts()] }
    }
  }

  /// The first hour to include: that of the first day, or of the latest 24 hours if those begin earlier.
  package static func firstHour(of days: Int, at thisHour: Int64) -> Int64 {
    min(firstDay(of: days, at: thisHour) &* 24, thisHour &- hours &+ 1)
  }

  private static func firstDay(of days: Int, at thisHour: Int64) -> Int64 {
    thisHour / 24 &- Int64(clamping: max(0, days &- 1))
  }
}

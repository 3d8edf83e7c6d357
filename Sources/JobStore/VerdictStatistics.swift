import Foundation

/// How many photos ended with each verdict.
public struct VerdictCounts: Sendable, Equatable {
  /// Those with a serial that can be relied on.
  public var accepted: Int
  /// Those with a serial that a person should look at.
  public var uncertain: Int
  /// Those without a serial, for whatever reason.
  public var refused: Int

  /// Creates counts; none is below 0.
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

/// Verdicts over time, also of jobs that are gone since.
public struct VerdictStatistics: Sendable, Equatable {
  /// By the day (YYYY-MM-DD, UTC) on which the photos' jobs ended; the latest days, without those that had none.
  public private(set) var byDay: [String: VerdictCounts] = [:]
  /// By the hour (such as 2026-11-21T05:00:00Z); the latest 24, this one among them, without those that had none.
  public private(set) var byHour: [String: VerdictCounts] = [:]

  /// Hours that are told one by one.
  private static let hours: Int64 = 24
  /// The hours, since 1970, of the years that are written with four digits.
  private static let known: Range<Int64> = 0..<70_389_528

  /// Sums up hours.
  ///
  /// - Parameters:
  ///   - counts: By hours since 1970; those before `firstHour` and after this one are left out.
  ///   - days: How many days, today among them.
  ///   - thisHour: The hour that it is, since 1970.
  package init(_ counts: [(hour: Int64, counts: VerdictCounts)], days: Int, thisHour: Int64) {
    let firstDay = Self.firstDay(of: days, at: thisHour)
    for (hour, counts) in counts where hour <= thisHour && Self.known.contains(hour) {
      let name = Date(timeIntervalSince1970: Double(hour) * 3600).ISO8601Format()
      let day = String(name.prefix(10))
      if hour / 24 >= firstDay { byDay[day] = counts + byDay[day, default: VerdictCounts()] }
      if hour > thisHour &- Self.hours { byHour[name] = counts + byHour[name, default: VerdictCounts()] }
    }
  }

  /// The first hour that is looked at: of the first day, or of the latest 24 hours where those reach further back.
  package static func firstHour(of days: Int, at thisHour: Int64) -> Int64 {
    min(firstDay(of: days, at: thisHour) &* 24, thisHour &- hours &+ 1)
  }

  private static func firstDay(of days: Int, at thisHour: Int64) -> Int64 {
    thisHour / 24 &- Int64(clamping: max(0, days &- 1))
  }
}

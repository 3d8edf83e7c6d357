import Hummingbird
import JobStore
import ScanModel
import Support

/// `GET /stats`: figures over all saved serials and all jobs.
struct Statistics: Sendable {
  struct Answer: Codable {
    var totalSerials: Int
    var validSerials: Int
    @ExplicitNull var meanConfidence: Double?
    var bySource: [String: Int]
    var byDeviceType: [String: Int]
    var byDay: [String: Int]
    var verdictsByDay: [String: Counts]
    var verdictsByHour: [String: Counts]
    var jobs: [String: Int]
    /// The number of configuration codes with known models.
    var knownCodes: Int
    /// The time zone of the days: serials are counted by UTC days as they arrive.
    var tz = "UTC"

    private enum CodingKeys: String, CodingKey {
      case totalSerials = "total_serials"
      case validSerials = "valid_serials"
      case meanConfidence = "mean_confidence"
      case bySource = "by_source"
      case byDeviceType = "by_device_type"
      case byDay = "by_day"
      case verdictsByDay = "verdicts_by_day"
      case verdictsByHour = "verdicts_by_hour"
      case jobs
      case knownCodes = "known_codes"
      case tz
    }
  }

  /// Photos by verdict.
  struct Counts: Codable {
    var accepted: Int
    var uncertain: Int
    var refused: Int

    init(_ counts: VerdictCounts) {
      (accepted, uncertain, refused) = (counts.accepted, counts.uncertain, counts.refused)
    }
  }

  private static let days = Parameter<Int>.integer(
    "days", in: 1...366, default: 30, "Days of `by_day` and `verdicts_by_day`.")

  let store: any ServerStore

  var endpoint: Endpoint {
    Endpoint(
      .get, "/stats", "AskForFigures", "Get statistics", "Over all saved serials and all jobs.", topic: .serials,
      access: .read, parameters: [Self.days, CommonParameters.batch], answers: [.json(Answer.self)],
      errors: [.batchNotFound]
    ) { request, _ in
      let days = try Query(request)[Self.days]
      let batch = try Query(request)[CommonParameters.batch]
      try await store.require(batch: batch)
      let figures = try await store.serialStatistics(days: days, batchID: batch)
      let verdicts = try await store.verdictStatistics(days: days, batchID: batch)
      let counts =
        if let batch { try await store.jobStates(inBatch: batch) } else { try await store.queueStatus().counts }
      return .json(
        Answer(
          totalSerials: figures.total, validSerials: figures.valid,
          meanConfidence: figures.meanConfidence.map(Confidence.displayed),
          bySource: figures.bySource, byDeviceType: figures.byDeviceType, byDay: figures.byDay,
          verdictsByDay: verdicts.byDay.mapValues(Counts.init), verdictsByHour: verdicts.byHour.mapValues(Counts.init),
          jobs: .init(
            Job.State.allCases.map { ($0.rawValue, counts[$0] ?? 0) }, uniquingKeysWith: { first, _ in first }),
          knownCodes: try await store.modelCodeCount()))
    }
  }
}

extension Statistics.Counts: WireObject {
  static let wireName = "VerdictCounts"
  static var mapName: String? { "VerdictCountsByTime" }
  static let wireNotes: [String: Schema] = [
    "": .about("Photos by verdict, including those of deleted jobs."), "accepted": .atLeast(0),
    "uncertain": .atLeast(0), "refused": .atLeast(0),
  ]
}

extension Statistics.Answer: WireObject {
  static let wireName = "Statistics"
  static let wireNotes: [String: Schema] = [
    "by_device_type": .about(
      "The 500 most frequent ones; `other` counts the rest, the empty name those without a device type."),
    "verdicts_by_day": .about("Photos by the day (UTC) on which their reading ended; days without any are omitted."),
    "verdicts_by_hour": .about("The same for the last 24 hours, such as `2026-11-21T05:00:00Z`."),
    "tz": .about("The zone of the days: UTC."),
  ]
}

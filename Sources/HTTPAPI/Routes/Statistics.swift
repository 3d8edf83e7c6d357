import Hummingbird
import JobStore
import ScanModel
import Support

/// `GET /stats`: figures over all saved serials and all jobs.
struct Statistics: Sendable {
  struct Answer: Encodable {
    var totalSerials: Int
    var validSerials: Int
    @ExplicitNull var meanConfidence: Double?
    var bySource: [String: Int]
    var byDeviceType: [String: Int]
    var byDay: [String: Int]
    var verdictsByDay: [String: [String: Int]]
    var verdictsByHour: [String: [String: Int]]
    var jobs: [String: Int]
    /// Configuration codes whose models are known.
    var knownCodes: Int
    /// The zone of the days: they are counted as serials come, by days of UTC.
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

  let store: any ServerStore

  var endpoint: Endpoint {
    Endpoint(.get, "/stats", access: .read, parameters: ["days"]) { request, _ in
      let days = try Query(request).integer("days", in: 1...366) ?? 30
      let figures = try await store.serialStatistics(days: days)
      let verdicts = try await store.verdictStatistics(days: days)
      let counts = try await store.queueStatus().counts
      return .json(
        Answer(
          totalSerials: figures.total, validSerials: figures.valid,
          meanConfidence: figures.meanConfidence.map(Confidence.displayed),
          bySource: figures.bySource, byDeviceType: figures.byDeviceType, byDay: figures.byDay,
          verdictsByDay: verdicts.byDay.mapValues(\.byName), verdictsByHour: verdicts.byHour.mapValues(\.byName),
          jobs: .init(
            Job.State.allCases.map { ($0.rawValue, counts[$0] ?? 0) }, uniquingKeysWith: { first, _ in first }),
          knownCodes: try await store.modelCodeCount()))
    }
  }
}

extension VerdictCounts {
  fileprivate var byName: [String: Int] { ["accepted": accepted, "uncertain": uncertain, "refused": refused] }
}

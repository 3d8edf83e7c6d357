import Reports
import WireJSON

/// What an evaluation comes to: the answer of `GET /evaluate`, and the result of a task.
public struct EvaluationAnswer: Encodable, Sendable {
  struct Row: Encodable, Sendable {
    var filename: String
    var expected: String
    @ExplicitNull var predicted: String?
    @ExplicitNull var confidence: Double?
    var isHit: Bool
    var outcome: String
    var isValid: Bool
    @ExplicitNull var method: String?
    @ExplicitNull var preset: String?
    var seconds: Double
    @ExplicitNull var error: String?

    private enum CodingKeys: String, CodingKey {
      case filename
      case expected
      case predicted
      case confidence
      case isHit = "is_hit"
      case outcome
      case isValid = "is_valid"
      case method
      case preset
      case seconds
      case error
    }
  }

  var dataset: String
  var total: Int
  var detected: Int
  var hits: Int
  var misreads: Int
  var detectionRatePct: Double
  var accuracyPctOverall: Double
  var accuracyPctOnDetected: Double
  var strictValidationPasses: Int
  var highConfidenceCount: Int
  var highConfidenceHits: Int
  var highConfidenceAccuracyPct: Double
  var csvPath: String
  var summaryPath: String
  var csvURL: String
  var summaryURL: String
  var rows: [Row]

  private enum CodingKeys: String, CodingKey {
    case dataset
    case total
    case detected
    case hits
    case misreads
    case detectionRatePct = "detection_rate_pct"
    case accuracyPctOverall = "accuracy_pct_overall"
    case accuracyPctOnDetected = "accuracy_pct_on_detected"
    case strictValidationPasses = "strict_validation_passes"
    case highConfidenceCount = "high_confidence_count"
    case highConfidenceHits = "high_confidence_hits"
    case highConfidenceAccuracyPct = "high_confidence_accuracy_pct"
    case csvPath = "csv_path"
    case summaryPath = "summary_path"
    case csvURL = "csv_url"
    case summaryURL = "summary_url"
    case rows
  }

  init(_ evaluation: Evaluation, dataset: String, csvPath: String, summaryPath: String, id: String) {
    let summary = EvaluationSummary(evaluation.rows)
    self.dataset = dataset
    total = summary.total
    detected = summary.detected
    hits = summary.hits
    misreads = summary.misreads
    detectionRatePct = summary.detectionRatePct
    accuracyPctOverall = summary.accuracyPctOverall
    accuracyPctOnDetected = summary.accuracyPctOnDetected
    strictValidationPasses = summary.strictValidationPasses
    highConfidenceCount = summary.highConfidenceCount
    highConfidenceHits = summary.highConfidenceHits
    highConfidenceAccuracyPct = summary.highConfidenceAccuracyPct
    self.csvPath = csvPath
    self.summaryPath = summaryPath
    csvURL = "/reports/\(id).csv"
    summaryURL = "/reports/\(id).json"
    rows = evaluation.rows.map { row in
      Row(
        filename: row.filename, expected: row.expected, predicted: row.predicted, confidence: row.confidence,
        isHit: row.outcome == .right, outcome: row.outcome.rawValue, isValid: row.isValid, method: row.method,
        preset: row.preset?.rawValue, seconds: row.seconds, error: row.error)
    }
  }
}

import Exports

/// The result of an evaluation, as returned by `GET /evaluate` and by its task: the figures, the paths of the reports,
/// and one row per picture.
public struct EvaluationAnswer: Encodable, Sendable {
  private enum CodingKeys: String, CodingKey {
    case dataset
    case definitions
    case csvPath = "csv_path"
    case summaryPath = "summary_path"
    case csvURL = "csv_url"
    case summaryURL = "summary_url"
    case rows
    case warnings
  }

  var dataset: String
  var csvPath: String
  var summaryPath: String
  /// The id of the reports.
  var id: String
  var rows: [Evaluation.Row]
  var warnings: [LabelWarning]

  init(_ evaluation: Evaluation, dataset: String, csvPath: String, summaryPath: String, id: String) {
    self.dataset = dataset
    self.csvPath = csvPath
    self.summaryPath = summaryPath
    self.id = id
    (rows, warnings) = (evaluation.rows, evaluation.warnings)
  }

  /// Encodes the figures, their definitions, the reports' paths and the rows as one object.
  public func encode(to encoder: any Encoder) throws {
    try EvaluationSummary(rows).encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(dataset, forKey: .dataset)
    try container.encode(EvaluationSummary.definitions, forKey: .definitions)
    try container.encode(csvPath, forKey: .csvPath)
    try container.encode(summaryPath, forKey: .summaryPath)
    try container.encode("/reports/\(id).csv", forKey: .csvURL)
    try container.encode("/reports/\(id).json", forKey: .summaryURL)
    try container.encode(rows, forKey: .rows)
    try container.encode(warnings, forKey: .warnings)
  }
}

import AppleSerial
import Foundation
import JobStore
import ScanModel

extension SQLBackedStore {
  /// See `ModelCodeStore`.
  public func modelCodes() async throws -> [ModelCode] {
    let codes = try await reading { try $0.rows(Self.modelCodeList).map(ModelCode.init(row:)) }
    // Sorted here, by bytes: the two databases compare texts differently.
    return codes.sorted { $0.isBefore($1) }
  }

  /// See `ModelCodeStore`.
  public func modelCodeCount() async throws -> Int {
    try await reading { try $0.first("SELECT count(DISTINCT code) AS n FROM model_codes")?.count("n") ?? 0 }
  }

  /// See `ModelCodeStore`. With PostgreSQL, two concurrent imports may both count the same pair as new.
  public func addModelCodes(_ codes: [ModelCode]) async throws -> Int {
    // A fixed order, so that two imports never deadlock.
    let ordered = codes.sorted { $0.isBefore($1) }
    return try await changing { connection in
      var known = Set(try connection.rows(Self.modelCodeList).map { try ModelCode(row: $0).pair })
      var new = 0
      for code in ordered {
        try connection.change(
          """
          INSERT INTO model_codes (code, model, imported, confirmed)
          VALUES (\(code.code), \(code.model), \(code.isImported), \(code.confirmed))
          ON CONFLICT (code, model) DO UPDATE SET imported = model_codes.imported OR excluded.imported,
            confirmed = \(Self.dialect.greatest)(model_codes.confirmed, excluded.confirmed)
          """)
        if known.insert(code.pair).inserted { new += 1 }
      }
      return new
    }
  }

  /// See `ModelCodeStore`.
  public func removeModelCodes(_ codes: [String]) async throws -> [String] {
    let ordered = codes.sorted()
    return try await changingOnFullDisk { connection in
      let unknown = try ordered.filter { try connection.first(Self.modelsOfCode($0, limit: 1)) == nil }
      guard unknown.isEmpty else { return unknown }
      for code in ordered { try connection.change("DELETE FROM model_codes WHERE code = \(code)") }
      return []
    }
  }

  /// Counts the codes of the serials that a person has newly confirmed in a photo, and reverts the counts of confirmed
  /// serials that were replaced.
  ///
  /// In the transaction of the confirmation, so that of concurrent ones the last one's code is left.
  static func countCodes(
    confirmedBefore earlier: [SavedSerial], after later: [SavedSerial], in connection: any SQLConnection
  ) throws {
    func lessons(_ serials: [SavedSerial], notIn others: [SavedSerial]) -> [CodeLesson] {
      let known = Set(others.filter { $0.confirmedAt != nil }.map(\.serial))
      return serials.filter { $0.confirmedAt != nil && !known.contains($0.serial) }
        .sorted { $0.serial < $1.serial }.compactMap(CodeLesson.init)
    }
    for lesson in lessons(earlier, notIn: later) { try uncount(lesson, in: connection) }
    for lesson in lessons(later, notIn: earlier) { try count(lesson, in: connection) }
  }

  private static func count(_ lesson: CodeLesson, in connection: any SQLConnection) throws {
    guard let model = try lesson.model ?? onlyModel(of: lesson.code, in: connection) else { return }
    try connection.change(
      """
      INSERT INTO model_codes (code, model, confirmed) VALUES (\(lesson.code), \(model), 1)
      ON CONFLICT (code, model) DO UPDATE SET confirmed = model_codes.confirmed + 1
      """)
  }

  /// Reverts a count. Deletes the pair if it is then neither counted nor imported.
  private static func uncount(_ lesson: CodeLesson, in connection: any SQLConnection) throws {
    guard let model = try lesson.model ?? onlyModel(of: lesson.code, in: connection) else { return }
    try connection.change(
      """
      UPDATE model_codes SET confirmed = confirmed - 1
      WHERE code = \(lesson.code) AND model = \(model) AND confirmed > 0
      """)
    try connection.change(
      "DELETE FROM model_codes WHERE code = \(lesson.code) AND model = \(model) AND confirmed = 0 AND NOT imported")
  }

  /// Returns the model of a code that has exactly one.
  private static func onlyModel(of code: String, in connection: any SQLConnection) throws -> String? {
    let rows = try connection.rows(modelsOfCode(code, limit: 2))
    return rows.count == 1 ? try rows.first?.text("model") : nil
  }

  private static var modelCodeList: SQLStatement { "SELECT code, model, imported, confirmed FROM model_codes" }

  /// Selects at most `limit` models of a code.
  package static func modelsOfCode(_ code: String, limit: Int) -> SQLStatement {
    "SELECT model FROM model_codes WHERE code = \(code) LIMIT \(limit)"
  }
}

extension ModelCode {
  fileprivate init(row: any SQLRow) throws {
    self.init(
      code: try row.text("code"), model: try row.text("model"), isImported: try row.flag("imported"),
      confirmed: try row.count("confirmed"))
  }

  /// The key of its row.
  fileprivate var pair: [String] { [code, model] }

  /// Whether this comes first by the bytes of code and model.
  fileprivate func isBefore(_ other: ModelCode) -> Bool {
    code == other.code
      ? model.utf8.lexicographicallyPrecedes(other.model.utf8) : code.utf8.lexicographicallyPrecedes(other.code.utf8)
  }
}

/// What a confirmed serial says: its configuration code and its model.
private struct CodeLesson {
  /// The code: three or four characters.
  var code: String
  /// The model number or identifier beside the serial; nil if none was read with enough confidence.
  var model: String?

  /// The minimum confidence at which a field names the model, 0...1.
  private static let least = 0.97

  /// Creates a lesson; nil if the serial has no configuration code.
  init?(_ saved: SavedSerial) {
    guard let code = SerialNumber(saved.serial)?.meaning?.configurationCode else { return nil }
    self.code = code
    let names = [DeviceField.Kind.modelNumber, .modelIdentifier].compactMap { kind in
      saved.fields?.first { $0.kind == kind && $0.confidence >= Self.least }?.text
    }
    model = names.first
  }
}

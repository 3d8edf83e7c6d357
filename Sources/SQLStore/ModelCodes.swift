import Foundation
import JobStore

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

  /// See `ModelCodeStore`.
  public func countModelCode(_ code: String, model: String?) async throws {
    try await changing { connection in
      guard let model = try model ?? Self.onlyModel(of: code, in: connection) else { return }
      try connection.change(
        """
        INSERT INTO model_codes (code, model, confirmed) VALUES (\(code), \(model), 1)
        ON CONFLICT (code, model) DO UPDATE SET confirmed = model_codes.confirmed + 1
        """)
    }
  }

  /// See `ModelCodeStore`.
  public func uncountModelCode(_ code: String, model: String?) async throws {
    try await changing { connection in
      guard let model = try model ?? Self.onlyModel(of: code, in: connection) else { return }
      try connection.change(
        """
        UPDATE model_codes SET confirmed = confirmed - 1
        WHERE code = \(code) AND model = \(model) AND confirmed > 0
        """)
      try connection.change(
        "DELETE FROM model_codes WHERE code = \(code) AND model = \(model) AND confirmed = 0 AND NOT imported")
    }
  }

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

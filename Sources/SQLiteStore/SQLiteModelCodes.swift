import GRDB
import JobStore

extension SQLiteJobStore: ModelCodeStore {
  /// See `ModelCodeStore`.
  public func modelCodes() async throws -> [ModelCode] {
    try await read { database in
      try Row.fetchAll(database, sql: "SELECT * FROM model_codes ORDER BY code, model").map(ModelCode.init(row:))
    }
  }

  /// See `ModelCodeStore`.
  public func modelCodeCount() async throws -> Int {
    try await read { database in
      try Int.fetchOne(database, sql: "SELECT count(DISTINCT code) FROM model_codes") ?? 0
    }
  }

  /// See `ModelCodeStore`.
  public func addModelCodes(_ codes: [ModelCode]) async throws -> Int {
    try await write { database in
      let before = try Self.pairs(in: database)
      let statement = try database.cachedStatement(
        sql: """
          INSERT INTO model_codes (code, model, imported, confirmed) VALUES (?, ?, ?, ?)
          ON CONFLICT (code, model) DO UPDATE SET imported = max(imported, excluded.imported),
            confirmed = max(confirmed, excluded.confirmed)
          """)
      for code in codes {
        try statement.execute(arguments: [code.code, code.model, code.isImported, code.confirmed])
      }
      return try Self.pairs(in: database) - before
    }
  }

  /// See `ModelCodeStore`.
  public func removeModelCodes(_ codes: [String]) async throws -> [String] {
    try await freeing { database in
      let unknown = try codes.filter { code in
        try Row.fetchOne(database, sql: "SELECT 1 FROM model_codes WHERE code = ?", arguments: [code]) == nil
      }
      guard unknown.isEmpty else { return unknown }
      for code in codes { try database.execute(sql: "DELETE FROM model_codes WHERE code = ?", arguments: [code]) }
      return []
    }
  }

  /// See `ModelCodeStore`.
  public func countModelCode(_ code: String, model: String?) async throws {
    try await write { database in
      guard let model = try model ?? Self.onlyModel(of: code, in: database) else { return }
      try database.execute(
        sql: """
          INSERT INTO model_codes (code, model, confirmed) VALUES (?, ?, 1)
          ON CONFLICT (code, model) DO UPDATE SET confirmed = confirmed + 1
          """, arguments: [code, model])
    }
  }

  /// See `ModelCodeStore`.
  public func uncountModelCode(_ code: String, model: String?) async throws {
    try await write { database in
      guard let model = try model ?? Self.onlyModel(of: code, in: database) else { return }
      try database.execute(
        sql: "UPDATE model_codes SET confirmed = confirmed - 1 WHERE code = ? AND model = ? AND confirmed > 0",
        arguments: [code, model])
      try database.execute(
        sql: "DELETE FROM model_codes WHERE code = ? AND model = ? AND confirmed = 0 AND NOT imported",
        arguments: [code, model])
    }
  }

  private static func pairs(in database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT count(*) FROM model_codes") ?? 0
  }

  private static func onlyModel(of code: String, in database: Database) throws -> String? {
    let models = try String.fetchAll(
      database, sql: "SELECT model FROM model_codes WHERE code = ? LIMIT 2", arguments: [code])
    return models.count == 1 ? models.first : nil
  }
}

extension ModelCode {
  init(row: Row) {
    self.init(
      code: row["code"], model: row["model"], isImported: row["imported"], confirmed: row["confirmed"])
  }
}

import JobStore
import PostgresClient

extension PostgresStore: ModelCodeStore {
  /// See `ModelCodeStore`.
  public func modelCodes() async throws -> [ModelCode] {
    try await repeatable { connection in
      try connection.run(
        "SELECT code, model, imported, confirmed FROM model_codes ORDER BY code COLLATE \"C\", model COLLATE \"C\""
      ).rows.map(ModelCode.init(row:))
    }
  }

  /// See `ModelCodeStore`.
  public func modelCodeCount() async throws -> Int {
    try await repeatable { connection in
      try connection.run("SELECT count(DISTINCT code) AS count FROM model_codes").first?.count("count") ?? 0
    }
  }

  /// See `ModelCodeStore`.
  public func addModelCodes(_ codes: [ModelCode]) async throws -> Int {
    // A fixed order, so that two imports never deadlock.
    let ordered = codes.sorted { ($0.code, $0.model) < ($1.code, $1.model) }
    return try await write { connection in
      try ordered.reduce(0) { new, code in
        let row = try connection.run(
          """
          INSERT INTO model_codes AS known (code, model, imported, confirmed) VALUES ($1, $2, $3, $4)
          ON CONFLICT (code, model) DO UPDATE SET imported = known.imported OR excluded.imported,
            confirmed = greatest(known.confirmed, excluded.confirmed)
          RETURNING (xmax = 0) AS is_new
          """,
          [.text(code.code), .text(code.model), .boolean(code.isImported), .init(code.confirmed)]
        ).first
        return try new + (row?.flag("is_new") == true ? 1 : 0)
      }
    }
  }

  /// See `ModelCodeStore`.
  public func removeModelCodes(_ codes: [String]) async throws -> [String] {
    let ordered = codes.sorted()
    return try await write { connection in
      let unknown = try ordered.filter { code in
        try connection.run("SELECT 1 FROM model_codes WHERE code = $1 LIMIT 1", [.text(code)]).count == 0
      }
      guard unknown.isEmpty else { return unknown }
      for code in ordered { try connection.run("DELETE FROM model_codes WHERE code = $1", [.text(code)]) }
      return []
    }
  }

  /// See `ModelCodeStore`.
  public func countModelCode(_ code: String, model: String?) async throws {
    try await write { connection in
      guard let model = try model ?? Self.onlyModel(of: code, in: connection) else { return }
      try connection.run(
        """
        INSERT INTO model_codes AS known (code, model, confirmed) VALUES ($1, $2, 1)
        ON CONFLICT (code, model) DO UPDATE SET confirmed = known.confirmed + 1
        """, [.text(code), .text(model)])
    }
  }

  /// See `ModelCodeStore`.
  public func uncountModelCode(_ code: String, model: String?) async throws {
    try await write { connection in
      guard let model = try model ?? Self.onlyModel(of: code, in: connection) else { return }
      try connection.run(
        "UPDATE model_codes SET confirmed = confirmed - 1 WHERE code = $1 AND model = $2 AND confirmed > 0",
        [.text(code), .text(model)])
      try connection.run(
        "DELETE FROM model_codes WHERE code = $1 AND model = $2 AND confirmed = 0 AND NOT imported",
        [.text(code), .text(model)])
    }
  }

  private static func onlyModel(of code: String, in connection: PostgresConnection) throws -> String? {
    let rows = try connection.run("SELECT model FROM model_codes WHERE code = $1 LIMIT 2", [.text(code)]).rows
    return rows.count == 1 ? try rows.first?.text("model") : nil
  }
}

extension ModelCode {
  init(row: PostgresRow) throws {
    self.init(
      code: try row.text("code"), model: try row.text("model"), isImported: try row.flag("imported"),
      confirmed: try row.count("confirmed"))
  }
}

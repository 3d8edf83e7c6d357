import Foundation
import JobStore
import PostgresClient

// Fills the columns of texts folded for comparison in rows of an earlier version.

extension PostgresStore {
  private struct Folded: Encodable {
    var id: Int64
    var key: String
    var text: String
  }

  /// Rows per transaction.
  private static let foldedAtOnce = 1000

  /// Fills a thousand rows and returns how many there were.
  static func foldTexts(in connection: PostgresConnection) throws -> Int {
    try connection.transaction { connection in
      let rows = try connection.run(
        """
        SELECT id, serial, device_type, filename FROM serials WHERE search_text = '' ORDER BY id LIMIT $1
        FOR UPDATE SKIP LOCKED
        """, [.init(foldedAtOnce)]
      ).rows.map { row in
        let deviceType = try row.text("device_type")
        return Folded(
          id: try row.integer("id"), key: SerialSearch.folded(deviceType),
          text: SerialSearch.text(
            serial: try row.text("serial"), deviceType: deviceType, filename: try row.optionalText("filename")))
      }
      guard !rows.isEmpty else { return 0 }
      try connection.run(
        """
        UPDATE serials SET device_type_key = folded.key, search_text = folded.text
        FROM jsonb_to_recordset($1::jsonb) AS folded (id bigint, key text, text text) WHERE serials.id = folded.id
        """, [.text(String(decoding: try JSONEncoder().encode(rows), as: UTF8.self))])
      return rows.count
    }
  }

  /// Fills the rows that an earlier version running beside this one has written since.
  func foldTexts() async throws {
    while try await mapped({ try await self.pool.withConnection { try Self.foldTexts(in: $0) } }) > 0 {
      try Task.checkCancellation()
    }
  }
}

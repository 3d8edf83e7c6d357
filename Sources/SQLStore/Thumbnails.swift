import Foundation
import JobStore

extension SQLBackedStore {
  /// Stores the thumbnail of a job that ends in the same transaction.
  package static func keep(
    thumbnail jpeg: [UInt8], ofJob id: String, in connection: any SQLConnection
  ) throws {
    try connection.change(
      """
      INSERT INTO thumbnails (job_id, jpeg) VALUES (\(id), \(SQLValue.bytes(Data(jpeg))))
      ON CONFLICT (job_id) DO UPDATE SET jpeg = excluded.jpeg
      """)
  }
}

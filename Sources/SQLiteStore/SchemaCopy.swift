import Foundation
import GRDB
import JobStore
import Support

/// The copy of a database kept before a schema migration, for returning to the previous version.
enum SchemaCopy {
  /// Copies a database that `migrations` will change to `serialscan.sqlite.before-4` beside it, where 4 is the first
  /// missing migration.
  ///
  /// Keeps an existing copy. Throws `StoreOpenError.copyFailed`, and the error of SQLite if the database is damaged.
  static func keep(
    of database: Database, before migrations: [Migration], path: String, willMigrate: (_ copy: String) -> Void
  ) throws {
    let newest = try Migration.newest(in: database)
    guard newest > 0, let next = migrations.map(\.number).filter({ $0 > newest }).min() else { return }
    let copy = "\(path).before-\(next)"
    willMigrate(copy)
    guard !FileManager.default.fileExists(atPath: copy) else { return }
    do {
      try DatabaseCopy.write(database, at: path, to: copy)
    } catch let error as DatabaseError where error.isDamage {
      throw error
    } catch let error as DatabaseError {
      throw StoreOpenError.copyFailed(path: path, reason: error.sentence)
    } catch {
      throw StoreOpenError.copyFailed(path: path, reason: FileRefusal.reason(of: error))
    }
  }
}

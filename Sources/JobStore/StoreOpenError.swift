/// Why a store could not be opened.
public enum StoreOpenError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A newer version of the program has written the database.
  case newerDatabase(path: String, found: Int, known: Int)
  /// A migration that was applied differs from the one in this program.
  case changedMigration(path: String, name: String)
  /// Another server uses the same database.
  case inUse(path: String)
  /// The database can't be opened or written.
  case unusable(path: String, reason: String)

  /// A sentence for the operator that says what to do.
  public var description: String {
    switch self {
    case .newerDatabase(let path, let found, let known):
      "\(path) was written by a newer version (migration \(found); this version knows \(known)). "
        + "Start the newer version, or restore a backup made before the upgrade."
    case .changedMigration(let path, let name):
      "\(path) was made with another form of migration \(name). Start the version that made it, or another folder."
    case .inUse(let path):
      "Another server uses \(path). Stop it, or start this one with another --data folder."
    case .unusable(let path, let reason):
      "\(path) can't be used: \(reason). Check that the folder exists, is writable and has free space."
    }
  }
}

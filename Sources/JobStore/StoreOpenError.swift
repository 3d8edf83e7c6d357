/// Why a store could not be opened.
public enum StoreOpenError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A newer version of the program wrote the database.
  case newerDatabase(path: String, found: Int, known: Int)
  /// An applied migration differs from the one in this program.
  case changedMigration(path: String, name: String)
  /// The database does not exist.
  case missing(path: String)
  /// An older version of the program wrote the database, and only a server may migrate it.
  case olderDatabase(path: String, found: Int, known: Int)
  /// The copy kept before a migration could not be made.
  case copyFailed(path: String, reason: String)
  /// Photos exist, but the database that refers to them does not.
  case photosWithoutDatabase(folder: String, path: String)
  /// The shared folder of photos is not mounted, or belongs to a different store.
  case wrongPhotosFolder(path: String, reason: String)
  /// Another server uses the same database.
  case inUse(path: String)
  /// The remote database does not answer, or rejects this machine.
  case unreachable(address: String, reason: String)
  /// The file of the database is damaged, or is not a database.
  case damaged(path: String, reason: String)
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
    case .missing(let path):
      "There is no database at \(path). Name the server's data folder with --data, or its store with --store; "
        + "`serialscan serve` creates a new one."
    case .olderDatabase(let path, let found, let known):
      "\(path) was written by an older version (migration \(found); this version works with \(known)). "
        + "Start the server of this version first: it keeps a copy, then migrates the database."
    case .copyFailed(let path, let reason):
      "\(path) must be migrated, and the copy that is kept before could not be made: \(reason). "
        + "Free some space, or start the version that wrote it."
    case .photosWithoutDatabase(let folder, let path):
      "There are photos in \(folder), but their database \(path) is missing, and a new one would delete them. Restore the "
        + "database (`serialscan restore`), or move the photos elsewhere to start with an empty one."
    case .wrongPhotosFolder(let path, let reason):
      "The photos folder \(path) can't be used: \(reason)."
    case .inUse(let path):
      "Another server uses \(path). Stop it first, or name another data folder."
    case .unreachable(let address, let reason):
      "\(address) can't be reached: \(Self.clause(reason)). Check that PostgreSQL runs there, has this database and accepts this user."
    case .damaged(let path, let reason):
      "\(path) is damaged: \(Self.clause(reason)). Stop the server, move the data folder away and restore the latest backup "
        + "with `serialscan restore`."
    case .unusable(let path, let reason):
      "\(path) can't be used: \(Self.clause(reason)). Check that the file and its folder are writable and the disk has free space, and run as "
        + "the server's user."
    }
  }

  /// Returns a database's message as a clause on one line, without its hints, which are indented and ask questions.
  private static func clause(_ reason: String) -> String {
    let lines = reason.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("\t") }
    let text = lines.map { $0.drop(while: \.isWhitespace) }.joined(separator: "; ")
    return String(text.reversed().drop { ".?! ".contains($0) }.reversed())
  }
}

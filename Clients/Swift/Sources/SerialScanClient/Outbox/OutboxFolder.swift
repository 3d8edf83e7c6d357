import Foundation

/// The steps at which tests end the sending process.
package enum OutboxStep: String, CaseIterable, Sendable {
  case photoWritten, photoSynced, entryRenamed, entrySynced
  case sending, answered, sentRecorded, photoRemoved, entryHidden, entryRemoved
}

/// The outbox on the disk: a folder for each photo, with `photo` and `item.json`.
///
/// An entry appears by one rename after both files are synced, and its state changes by another rename, so that a kill
/// or a power failure never leaves a partial state.
struct OutboxFolder {
  let url: URL
  let reached: @Sendable (OutboxStep) -> Void
  private let lock: FileHandle

  /// Opens the folder, creates it if necessary, and deletes what an interrupted process left unfinished.
  ///
  /// Throws ``ErrorCode/outboxInUse`` if another outbox has it open, ``ErrorCode/fileUnreadable`` if the disk fails.
  init(_ url: URL, reached: @escaping @Sendable (OutboxStep) -> Void) throws {
    self.url = url
    self.reached = reached
    do {
      let files = FileManager.default
      try files.createDirectory(at: url, withIntermediateDirectories: true)
      let lockFile = url.appendingPathComponent("lock")
      if !files.fileExists(atPath: lockFile.path) { try Data().write(to: lockFile) }
      lock = try FileHandle(forUpdating: lockFile)
      guard flock(lock.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else {
        throw SerialScanError(.outboxInUse, "The outbox \(url.lastPathComponent) is already open.")
      }
      for name in try files.contentsOfDirectory(atPath: url.path)
      where name.hasPrefix("new-") || name.hasPrefix("old-") || name.hasSuffix(".form") {
        try files.removeItem(at: url.appendingPathComponent(name))
      }
    } catch { throw (error as? SerialScanError) ?? .notWritten(url, error) }
  }

  /// Loads the items in order. An entry whose state can't be read is listed as refused, because its photo still exists.
  func items() throws -> [OutboxItem] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).compactMap { name in
      let parts = name.split(separator: "_")
      guard parts.count == 2, let number = Int(parts[0]), let id = UUID(uuidString: String(parts[1]))
      else { return nil }
      let entry = url.appendingPathComponent(name)
      let state = try? Data(contentsOf: entry.appendingPathComponent("item.json"))
      return state.flatMap { try? JSONDecoder().decode(OutboxItem.self, from: $0) } ?? unreadable(id, number)
    }.sorted { $0.number < $1.number }
  }

  private func unreadable(_ id: UUID, _ number: Int) -> OutboxItem {
    OutboxItem(
      id: id, filename: "photo", byteCount: 0, addedAt: Date(),
      state: .refused(errorCode: .fileUnreadable, detail: "The photo's state can't be read."), failures: 0,
      problem: nil, options: ScanOptions(), number: number)
  }

  func photo(of item: OutboxItem) -> URL { entry(item).appendingPathComponent("photo") }

  /// The location of the form that the system sends in the background. It is beside its photo, because the system may
  /// need it after the app has ended.
  func form(of item: OutboxItem) -> URL { entry(item).appendingPathComponent("form") }

  private func entry(_ item: OutboxItem) -> URL {
    // Leading zeros make listings show the order.
    let number = String(item.number)
    let padded = String(repeating: "0", count: max(0, 10 - number.count)) + number
    return url.appendingPathComponent("\(padded)_\(item.id.uuidString)")
  }

  /// Stores a photo with its state. Returns once both would survive a power failure.
  func add(_ image: ImageSource, as item: OutboxItem) throws {
    let new = url.appendingPathComponent("new-\(item.id.uuidString)")
    do {
      let files = FileManager.default
      if files.fileExists(atPath: new.path) { try files.removeItem(at: new) }
      try files.createDirectory(at: new, withIntermediateDirectories: false)
      try writeSynced(to: new.appendingPathComponent("photo")) { output in
        switch image {
        case .data(let data, _): try output.write(contentsOf: data)
        case .file(let photo, _): try copy(photo, to: output)
        }
        reached(.photoWritten)
      }
      reached(.photoSynced)
      let state = try JSONEncoder().encode(item)
      try writeSynced(to: new.appendingPathComponent("item.json")) { try $0.write(contentsOf: state) }
      try sync(new)
      try files.moveItem(at: new, to: entry(item))
      reached(.entryRenamed)
      try sync(url)
      reached(.entrySynced)
    } catch {
      try? FileManager.default.removeItem(at: new)
      throw (error as? SerialScanError) ?? .notWritten(url, error)
    }
  }

  /// Replaces an item's state.
  func update(_ item: OutboxItem) throws {
    do {
      let state = try JSONEncoder().encode(item)
      let old = entry(item).appendingPathComponent("item.json")
      let new = entry(item).appendingPathComponent("item.new")
      try writeSynced(to: new) { try $0.write(contentsOf: state) }
      guard rename(new.path, old.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
      try sync(entry(item))
    } catch { throw SerialScanError.notWritten(entry(item), error) }
  }

  /// Deletes the file of a sent item.
  func removePhoto(of item: OutboxItem) {
    removeForm(of: item)
    try? FileManager.default.removeItem(at: photo(of: item))
    reached(.photoRemoved)
  }

  func removeForm(of item: OutboxItem) { try? FileManager.default.removeItem(at: form(of: item)) }

  /// Removes an item by one rename, so that it is gone even if a kill leaves its files.
  func remove(_ item: OutboxItem) throws {
    do {
      let old = url.appendingPathComponent("old-\(item.id.uuidString)")
      try FileManager.default.moveItem(at: entry(item), to: old)
      try sync(url)
      reached(.entryHidden)
      try FileManager.default.removeItem(at: old)
      reached(.entryRemoved)
    } catch { throw SerialScanError.notWritten(entry(item), error) }
  }

  private func writeSynced(to file: URL, _ write: (FileHandle) throws -> Void) throws {
    try Data().write(to: file)
    let output = try FileHandle(forWritingTo: file)
    defer { try? output.close() }
    try write(output)
    try output.synchronize()
  }

  /// Syncs a folder, so that its entries are durable.
  private func sync(_ folder: URL) throws {
    let descriptor = open(folder.path, O_RDONLY)
    guard descriptor >= 0 else { throw CocoaError(.fileReadUnknown) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }
}

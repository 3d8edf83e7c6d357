import Foundation
import Glibc
import JobStore
import Support

/// A blob being uploaded, in a file in `incoming/`.
public final class StagedFile: StagedBlob {
  private let path: String
  /// The open file; nil once it is closed, moved or deleted.
  private let descriptor: Locked<CInt?>

  /// Creates the file. Blocks; call it on one of `FileThreads`.
  init(path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else { throw FileFailure.current(path) }
    self.path = path
    self.descriptor = Locked(descriptor)
  }

  deinit {
    giveUp()
  }

  /// See `StagedBlob`.
  public func append(_ bytes: [UInt8]) async throws {
    guard !bytes.isEmpty else { return }
    try await FileThreads.run { try self.write(bytes) }
  }

  /// See `StagedBlob`.
  public func inspect<Value: Sendable>(
    _ work: @escaping @Sendable (_ path: String) throws -> Value
  ) async throws -> Value {
    try await FileThreads.run { [path] in try work(path) }
  }

  /// See `StagedBlob`.
  public func discard() async {
    try? await FileThreads.run { self.giveUp() }
  }

  /// Waits until the bytes are on the disk. Blocks.
  func synchronise() throws {
    try withDescriptor { guard fsync($0) == 0 else { throw FileFailure.current(path) } }
  }

  /// Moves the file to its permanent name. Blocks.
  func move(to newPath: String) throws {
    try withDescriptor { _ in guard rename(path, newPath) == 0 else { throw FileFailure.current(newPath) } }
    descriptor.withLock { descriptor in
      if let open = descriptor { close(open) }
      descriptor = nil
    }
  }

  private func giveUp() {
    descriptor.withLock { descriptor in
      guard let open = descriptor else { return }
      close(open)
      unlink(path)
      descriptor = nil
    }
  }

  private func write(_ bytes: [UInt8]) throws {
    try withDescriptor { descriptor in
      try bytes.withUnsafeBytes { buffer in
        var rest = buffer[...]
        while !rest.isEmpty {
          let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
          if written < 0, errno == EINTR { continue }
          guard written > 0 else { throw FileFailure.current(path) }
          rest = rest.dropFirst(written)
        }
      }
    }
  }

  private func withDescriptor(_ work: (CInt) throws -> Void) throws {
    guard let open = descriptor.withLock({ $0 }) else {
      throw StoreError.unavailable("\(path) was stored or given up before")
    }
    try work(open)
  }
}

/// Converts file system errors to store errors.
enum FileFailure {
  /// Returns the error for `errno`. Call this immediately after the failure.
  static func current(_ path: String) -> StoreError { of(errno, path) }

  /// Returns the error for an `errno` value.
  static func of(_ number: Int32, _ path: String) -> StoreError {
    switch number {
    case ENOSPC, EDQUOT: .diskFull
    default: .unavailable("\(path): \(String(cString: strerror(number)))")
    }
  }

  /// Returns the error for a stored file that could not be read.
  ///
  /// Unless this process lacks a resource, the file is unreadable or the whole store is (`BlobStore.checkWritable`).
  static func reading(_ path: String) -> StoreError {
    switch errno {
    case EMFILE, ENFILE, ENOMEM, ENOBUFS: current(path)
    case let number: .unreadable("\(path): \(String(cString: strerror(number)))")
    }
  }
}

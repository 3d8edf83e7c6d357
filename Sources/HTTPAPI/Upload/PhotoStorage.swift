import CSodium
import FaultPoints
import Foundation
import NIOCore
import NIOPosix
import PictureHeader

/// Where photos lie: `incoming/` while they arrive, `photos/xx/` from then on.
///
/// Every call runs on threads of its own, never on an event loop. A photo counts as stored once its bytes, its name and
/// the folder that holds the name are on the disk.
public struct PhotoStorage: Sendable {
  /// A photo while it arrives.
  struct Incoming: Sendable {
    var id: String
    var path: String
    var descriptor: CInt
  }

  /// A stored photo.
  struct Stored: Sendable {
    /// The file's name below the photos folder.
    var name: String
    var header: PictureHeader
    /// SHA-256 in lower-case hexadecimal, where it was asked for.
    var digest: String?
  }

  private let incoming: String
  private let photos: String
  /// `fsync` blocks, and waits of several photos overlap; so there are more threads than cores.
  private let threads: NIOThreadPool

  /// Makes the folders, and removes what uploads of a process that died have left.
  public init(dataPath: String) throws {
    incoming = "\(dataPath)/incoming"
    photos = "\(dataPath)/photos"
    let files = FileManager.default
    try files.createDirectory(atPath: incoming, withIntermediateDirectories: true)
    for folder in 0..<256 {
      try files.createDirectory(atPath: "\(photos)/\(Self.folderName(folder))", withIntermediateDirectories: true)
    }
    for path in [photos, dataPath] { try Self.synchroniseFolder(path) }
    for left in try files.contentsOfDirectory(atPath: incoming) where left.hasSuffix(".part") {
      try files.removeItem(atPath: "\(incoming)/\(left)")
    }
    threads = NIOThreadPool(numberOfThreads: 16)
    threads.start()
  }

  /// The photo's path in the file system.
  public func path(of name: String) -> String { "\(photos)/\(name)" }

  /// Writes a file, moves it as a photo is moved, and removes it, for a health check: throws the error that a new photo
  /// would meet.
  func checkWritable() async throws {
    let photo = try await begin(id: "check-\(UUID().uuidString)")
    try await onThread {
      defer { close(photo.descriptor) }
      let moved = "\(photos)/\(Self.folderName(0))/\(photo.id).part"
      do {
        try Self.write(ByteBuffer(repeating: 0, count: 8192), to: photo)
        guard rename(photo.path, moved) == 0 else { throw Self.error() }
      } catch {
        unlink(photo.path)
        throw error
      }
      unlink(moved)
    }
  }

  /// Opens a file for a photo that arrives.
  func begin(id: String) async throws -> Incoming {
    let path = "\(incoming)/\(id).part"
    return try await onThread {
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
      guard descriptor >= 0 else { throw Self.error() }
      return Incoming(id: id, path: path, descriptor: descriptor)
    }
  }

  /// Writes the next bytes.
  func append(_ bytes: ByteBuffer, to photo: Incoming) async throws {
    try await onThread { try Self.write(bytes, to: photo) }
  }

  /// Writes the last bytes, checks the header, and moves the photo to where it stays. Nothing is left where it throws.
  func store(_ photo: Incoming, lastBytes: ByteBuffer, maxPixels: Int, withDigest: Bool) async throws -> Stored {
    try await onThread {
      var isMoved = false
      do {
        try Self.write(lastBytes, to: photo)
        FaultPoint.photoWritten.reached()
        let header = try PictureHeader(path: photo.path)
        guard header.pixelCount <= maxPixels else { throw APIError.tooManyPixels(header, limit: maxPixels) }
        let digest = withDigest ? try Self.digest(path: photo.path) : nil
        guard fsync(photo.descriptor) == 0 else { throw Self.error() }
        FaultPoint.photoSynced.reached()
        let folder = photo.id.prefix(2)
        let name = "\(folder)/\(photo.id).\(header.format.fileExtension)"
        guard rename(photo.path, "\(photos)/\(name)") == 0 else { throw Self.error() }
        isMoved = true
        close(photo.descriptor)
        FaultPoint.photoRenamed.reached()
        do {
          try Self.synchroniseFolder("\(photos)/\(folder)")
        } catch {
          unlink("\(photos)/\(name)")
          throw error
        }
        FaultPoint.photoStored.reached()
        return Stored(name: name, header: header, digest: digest)
      } catch {
        if !isMoved {
          close(photo.descriptor)
          unlink(photo.path)
        }
        throw error
      }
    }
  }

  /// Gives up a photo that did not arrive whole.
  func discard(_ photo: Incoming) async {
    try? await onThread {
      close(photo.descriptor)
      unlink(photo.path)
    }
  }

  /// Removes a stored photo.
  func remove(_ name: String) async {
    try? await onThread { _ = unlink("\(photos)/\(name)") }
  }

  /// Removes a file of ours that is no photo.
  func removeFile(at path: String) async {
    try? await onThread { _ = unlink(path) }
  }

  /// Makes a folder where it is missing.
  func makeFolder(_ path: String) async throws {
    try await onThread {
      do {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      } catch {
        throw APIError.storageUnavailable
      }
    }
  }

  /// Runs blocking work on this storage's threads.
  func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await threads.runIfActive(work)
  }

  private static func folderName(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return digits.count == 1 ? "0\(digits)" : digits
  }

  private static func write(_ bytes: ByteBuffer, to photo: Incoming) throws {
    try bytes.withUnsafeReadableBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let written = UnsafeRawBufferPointer(rebasing: rest).withMemoryRebound(to: UInt8.self) {
          Glibc.write(photo.descriptor, $0.baseAddress, $0.count)
        }
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { throw error() }
        rest = rest.dropFirst(written)
      }
    }
  }

  private static func synchroniseFolder(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw error() }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw error() }
  }

  private static func digest(path: String) throws -> String {
    guard let file = FileHandle(forReadingAtPath: path) else { throw error() }
    defer { try? file.close() }
    var state = crypto_hash_sha256_state()
    crypto_hash_sha256_init(&state)
    while let chunk = try file.read(upToCount: 256 * 1024), !chunk.isEmpty {
      let bytes = [UInt8](chunk)
      crypto_hash_sha256_update(&state, bytes, UInt64(clamping: bytes.count))
    }
    var digest = [UInt8](repeating: 0, count: max(0, Int(clamping: crypto_hash_sha256_bytes())))
    crypto_hash_sha256_final(&state, &digest)
    return digest.map { String(format: "%02x", $0) }.joined()
  }

  private static func error() -> APIError {
    switch errno {
    case ENOSPC, EDQUOT: .storageFull
    default: .storageUnavailable
    }
  }
}

extension APIError {
  fileprivate static func tooManyPixels(_ header: PictureHeader, limit: Int) -> APIError {
    APIError(
      .imageTooLarge,
      "The picture has \(header.width) x \(header.height) pixels, more than \(limit / 1_000_000) megapixels. "
        + "Send a smaller one.")
  }
}

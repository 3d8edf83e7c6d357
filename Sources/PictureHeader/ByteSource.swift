import Foundation
import Support

/// Bytes that can be read at any place, a few at a time.
public protocol ByteSource {
  /// Bytes in all.
  var size: Int { get }
  /// The bytes at a place; fewer than asked, or none, where the source ends.
  func read(at offset: Int, count: Int) -> [UInt8]
}

/// Bytes in memory.
struct MemorySource: ByteSource {
  let bytes: [UInt8]

  var size: Int { bytes.count }

  func read(at offset: Int, count: Int) -> [UInt8] {
    guard offset >= 0, offset < bytes.count, count > 0 else { return [] }
    return Array(bytes[offset...].prefix(count))
  }
}

/// A file, read with `pread`; closed when the last reference goes.
final class FileSource: ByteSource {
  let size: Int
  private let descriptor: Int32

  init(path: String) throws(PictureHeaderError) {
    guard let file = try? RegularFile.open(path) else { throw .unreadable }
    (descriptor, size) = (file.descriptor, file.size)
  }

  deinit { close(descriptor) }

  func read(at offset: Int, count: Int) -> [UInt8] {
    guard offset >= 0, offset < size, count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: min(count, size - offset)) { buffer, filled in
      while filled < buffer.count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
        let got = pread(descriptor, rest.baseAddress, rest.count, off_t(clamping: offset + filled))
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { break }
        filled += got
      }
    }
  }
}

extension ByteSource {
  /// Exactly `count` bytes, or `truncated`.
  func bytes(at offset: Int, count: Int) throws(PictureHeaderError) -> [UInt8] {
    let bytes = read(at: offset, count: count)
    guard bytes.count == count else { throw .truncated }
    return bytes
  }
}

extension [UInt8] {
  /// The big-endian number in `count` bytes at a place, nil where they are not all there.
  func bigEndian(at offset: Int, count: Int) -> Int? {
    guard offset >= 0, count <= 7, offset <= self.count - count else { return nil }
    return self[offset...].prefix(count).reduce(0) { $0 << 8 | Int(clamping: $1) }
  }

  /// The little-endian number in `count` bytes at a place, nil where they are not all there.
  func littleEndian(at offset: Int, count: Int) -> Int? {
    guard offset >= 0, count <= 7, offset <= self.count - count else { return nil }
    return self[offset...].prefix(count).reversed().reduce(0) { $0 << 8 | Int(clamping: $1) }
  }

  /// Whether ASCII text stands at a place.
  func holds(_ text: String, at offset: Int) -> Bool {
    offset >= 0 && dropFirst(offset).starts(with: text.utf8)
  }
}

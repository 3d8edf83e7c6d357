import Foundation
import Support

/// A source of bytes with random access.
public protocol ByteSource {
  /// The size in bytes.
  var size: Int { get }
  /// Returns the bytes at an offset; fewer than requested, or an empty array, at the end of the source.
  func read(at offset: Int, count: Int) -> [UInt8]
}

/// A source of bytes in memory.
struct MemorySource: ByteSource {
  let bytes: [UInt8]

  var size: Int { bytes.count }

  func read(at offset: Int, count: Int) -> [UInt8] {
    guard offset >= 0, offset < bytes.count, count > 0 else { return [] }
    return Array(bytes[offset...].prefix(count))
  }
}

/// A file read with `pread`; closed when the last reference is released.
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
  /// Reads exactly `count` bytes. Throws `truncated` if there are fewer.
  func bytes(at offset: Int, count: Int) throws(PictureHeaderError) -> [UInt8] {
    let bytes = read(at: offset, count: count)
    guard bytes.count == count else { throw .truncated }
    return bytes
  }
}

extension [UInt8] {
  /// Returns the big-endian number in `count` bytes at an offset; nil if it lies outside the array.
  func bigEndian(at offset: Int, count: Int) -> Int? {
    guard offset >= 0, count <= 7, offset <= self.count - count else { return nil }
    return self[offset...].prefix(count).reduce(0) { $0 << 8 | Int(clamping: $1) }
  }

  /// Returns the little-endian number in `count` bytes at an offset; nil if it lies outside the array.
  func littleEndian(at offset: Int, count: Int) -> Int? {
    guard offset >= 0, count <= 7, offset <= self.count - count else { return nil }
    return self[offset...].prefix(count).reversed().reduce(0) { $0 << 8 | Int(clamping: $1) }
  }

  /// Whether the bytes at an offset are this ASCII text.
  func holds(_ text: String, at offset: Int) -> Bool {
    offset >= 0 && dropFirst(offset).starts(with: text.utf8)
  }
}

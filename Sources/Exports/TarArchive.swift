import Foundation

/// The pieces of a tar archive (POSIX.1-1988, "ustar"): the header before a file's bytes, the padding after them, and
/// the end of the archive.
public enum TarArchive {
  /// A block of zeros. Everything in an archive is a multiple of its 512 bytes.
  private static let emptyBlock = [UInt8](repeating: 0, count: 512)

  /// Returns the header of a file. Names longer than 100 bytes are truncated.
  public static func header(name: String, size: Int, modifiedAt: Date) -> [UInt8] {
    var header = emptyBlock
    func put(_ bytes: some Collection<UInt8>, at offset: Int, limit: Int) {
      for (index, byte) in bytes.prefix(limit).enumerated() { header[offset + index] = byte }
    }
    /// Writes an octal number with leading zeros and a trailing NUL.
    func put(octal number: Int, at offset: Int, width: Int) {
      let digits = String(max(0, number), radix: 8)
      put((String(repeating: "0", count: max(0, width - digits.count)) + digits).utf8, at: offset, limit: width)
    }
    put(name.utf8, at: 0, limit: 100)
    put(octal: 0o644, at: 100, width: 7)
    put(octal: 0, at: 108, width: 7)
    put(octal: 0, at: 116, width: 7)
    put(octal: size, at: 124, width: 11)
    put(octal: Int(exactly: modifiedAt.timeIntervalSince1970.rounded(.down)) ?? 0, at: 136, width: 11)
    put("0ustar".utf8, at: 156, limit: 1)
    put("ustar".utf8, at: 257, limit: 5)
    put("00".utf8, at: 263, limit: 2)
    // The checksum is computed with spaces in its own field.
    put("        ".utf8, at: 148, limit: 8)
    let sum = header.reduce(0) { $0 + Int(clamping: $1) }
    put(octal: sum, at: 148, width: 6)
    header[154] = 0
    return header
  }

  /// Returns the zeros between a file of this size and the next block.
  public static func padding(after size: Int) -> [UInt8] {
    Array(emptyBlock.prefix((512 - (size & 511)) & 511))
  }

  /// The end of an archive.
  public static let end = emptyBlock + emptyBlock
}

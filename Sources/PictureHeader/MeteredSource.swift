/// Counts and limits the steps that reading one header takes.
///
/// A step is a read, a quarter of a kilobyte read, or a table entry. The limit is `fixedSteps` plus one step for each
/// `bytesAStep` of the file, so the work grows no faster than the file. A file of 25 MB takes at most some tenths of a
/// second, so reading need not stop when the client disconnects.
final class HeaderWork {
  private static let fixedSteps = 200_000
  private static let bytesAStep = 64

  /// The steps counted so far.
  private(set) var steps = 0
  private let limit: Int

  init(fileSize: Int) { limit = Self.fixedSteps + max(0, fileSize) / Self.bytesAStep }

  /// Whether the limit is exceeded.
  var isExhausted: Bool { steps > limit }

  /// Counts steps.
  func add(_ count: Int = 1) { steps += count }

  /// Counts steps. Throws if their number exceeds the limit.
  func addOrThrow(_ count: Int = 1) throws(PictureHeaderError) {
    add(count)
    if isExhausted { throw .damaged("its header is far too long") }
  }
}

/// A source that counts reads, and returns no more bytes once the limit is exceeded.
struct MeteredSource: ByteSource {
  private let source: any ByteSource
  let work: HeaderWork

  init(_ source: some ByteSource) {
    self.source = source
    work = HeaderWork(fileSize: source.size)
  }

  /// Creates a source for a part of a file in memory; its reads count toward the file's limit.
  init(_ part: [UInt8], of whole: MeteredSource) {
    source = MemorySource(bytes: part)
    work = whole.work
  }

  var size: Int { source.size }

  func read(at offset: Int, count: Int) -> [UInt8] {
    work.add()
    guard !work.isExhausted else { return [] }
    let bytes = source.read(at: offset, count: count)
    work.add(bytes.count / 256)
    return bytes
  }
}

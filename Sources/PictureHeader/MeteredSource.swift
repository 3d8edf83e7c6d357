/// The work that reading one header takes, counted in steps and bounded.
///
/// A step is a read, a quarter of a kilobyte read, or an entry of a table. There are at most `fixedSteps` and one for each
/// `bytesAStep` of the file, so that work grows no faster than the file, whatever is in it; a file of 25 MB takes some
/// tenths of a second at the very most, which is why it need not be ended when its client hangs up.
final class HeaderWork {
  private static let fixedSteps = 200_000
  private static let bytesAStep = 64

  /// Steps taken so far.
  private(set) var steps = 0
  private let limit: Int

  init(fileSize: Int) { limit = Self.fixedSteps + max(0, fileSize) / Self.bytesAStep }

  /// Whether no further step is to be taken.
  var isExhausted: Bool { steps > limit }

  /// Counts steps.
  func take(_ count: Int = 1) { steps += count }

  /// Counts steps; throws where they are more than any picture needs.
  func takeOrThrow(_ count: Int = 1) throws(PictureHeaderError) {
    take(count)
    if isExhausted { throw .damaged("its header is far too long") }
  }
}

/// A source that counts what is read of it, and ends where too much was.
struct MeteredSource: ByteSource {
  private let source: any ByteSource
  let work: HeaderWork

  init(_ source: some ByteSource) {
    self.source = source
    work = HeaderWork(fileSize: source.size)
  }

  /// A part of a file in memory, on the account of the file.
  init(_ part: [UInt8], of whole: MeteredSource) {
    source = MemorySource(bytes: part)
    work = whole.work
  }

  var size: Int { source.size }

  func read(at offset: Int, count: Int) -> [UInt8] {
    work.take()
    guard !work.isExhausted else { return [] }
    let bytes = source.read(at: offset, count: count)
    work.take(bytes.count / 256)
    return bytes
  }
}

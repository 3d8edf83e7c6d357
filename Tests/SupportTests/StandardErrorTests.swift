import Foundation
import Support
import Testing

@Suite struct StandardErrorTests {
  init() { StandardStreams.ignoreBrokenPipes() }

  @Test func writesWholeText() {
    let pipe = Pipe()
    let stream = StandardError(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    stream.write("one\n")
    stream.write("two\n")
    #expect(String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self) == "one\ntwo\n")
    #expect(stream.dropped == 0)
  }

  @Test func dropsAndCountsTextOnFullOrClosedStream() throws {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    for stream in [StandardError(descriptor: full.fileDescriptor), StandardError(descriptor: -1)] {
      for _ in 0..<3 { stream.write("lost\n") }
      #expect(stream.dropped == 3)
    }
  }

  @Test func survivesPipeWithoutReader() throws {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    let stream = StandardError(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    stream.write("lost\n")
    #expect(stream.dropped == 1)
  }

  @Test func doesNotWaitForStalledReader() {
    let pipe = Pipe()
    let stream = StandardError(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    // 10 MB, while a pipe holds 64 KB. Waiting for each write would take minutes.
    for _ in 0..<10_000 { stream.write(String(repeating: "x", count: 1_000) + "\n") }
    #expect(stream.dropped > 9_000)
    let held = Self.held(by: pipe)
    #expect(held.utf8.count > 32_000)
    // Once read, it is written again, and a truncated line does not merge with the next.
    stream.write("again\n")
    #expect((held + Self.held(by: pipe)).hasSuffix("\nagain\n"))
  }

  @Test func slowReaderDelaysTextOnlyOnce() {
    let pipe = Pipe()
    let stream = StandardError(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    let reader = Thread { [pipe] in
      var piece = [UInt8](repeating: 0, count: 4096)
      while read(pipe.fileHandleForReading.fileDescriptor, &piece, piece.count) > 0 { usleep(50_000) }
    }
    reader.start()
    // Waiting for each of its 256 pieces separately would write all of it.
    stream.write(String(repeating: "x", count: 1 << 20))
    #expect(stream.dropped == 1)
    try? pipe.fileHandleForWriting.close()
  }

  /// The current content of a pipe.
  private static func held(by pipe: Pipe) -> String {
    let descriptor = pipe.fileHandleForReading.fileDescriptor
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var held: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 20)
    while case let count = read(descriptor, &chunk, chunk.count), count > 0 { held += chunk[..<count] }
    return String(decoding: held, as: UTF8.self)
  }
}

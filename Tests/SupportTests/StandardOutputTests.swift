import Foundation
import Support
import Testing

@Suite struct StandardOutputTests {
  init() { StandardStreams.ignoreBrokenPipes() }

  @Test func writesWholeTextToSlowReader() throws {
    let pipe = Pipe()
    // A pipe holds 64 KB.
    let line = String(repeating: "x", count: 1_000_000)
    let reader = Thread { _ = try? pipe.fileHandleForReading.read(upToCount: line.utf8.count) }
    reader.start()
    let stream = StandardOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    try stream.print(line)
    #expect(pipe.fileHandleForReading.availableData == Data("\n".utf8))
  }

  @Test func reportsFullStream() throws {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let stream = StandardOutput(descriptor: full.fileDescriptor)
    #expect(throws: StandardOutput.Problem.refused(ENOSPC)) { try stream.print("lost") }
    #expect(StandardOutput.Problem.refused(ENOSPC).description.hasPrefix("standard output could not be written: "))
  }

  @Test func reportsPipeWithoutReader() throws {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    let stream = StandardOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    #expect(throws: StandardOutput.Problem.closedPipe) { try stream.print("lost") }
  }
}

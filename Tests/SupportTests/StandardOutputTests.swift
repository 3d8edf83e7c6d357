import Foundation
import Support
import Testing

@Suite struct StandardOutputTests {
  init() { StandardStreams.ignoreBrokenPipes() }

  @Test func writesWholeTextToSlowReader() async throws {
    let pipe = Pipe()
    // A pipe holds 64 KB.
    let line = String(repeating: "x", count: 1_000_000)
    let reader = Task.detached { try pipe.fileHandleForReading.readToEnd() }
    try StandardOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor).print(line)
    try pipe.fileHandleForWriting.close()
    #expect(try await reader.value == Data("\(line)\n".utf8))
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

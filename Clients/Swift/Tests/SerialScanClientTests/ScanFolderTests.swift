import Foundation
import SerialScanClient
import Testing

/// The example, run as by a user.
@Suite struct ScanFolderTests {
  @Test func folderBecomesCSVAndIsNotReadTwice() async throws {
    let server = try RunningServer()
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["etched_clean_1", "etched_clean_2", "no_serial_1"] {
      try FileManager.default.copyItem(
        at: RunningServer.picture(name), to: folder.appendingPathComponent("\(name).jpg"))
    }
    try Data("no photo".utf8).write(to: folder.appendingPathComponent("notes.txt"))
    try Data("broken".utf8).write(to: folder.appendingPathComponent("zz.jpg"))
    let csv = folder.appendingPathComponent("out.csv")
    for _ in 1...2 {
      let (status, output) = try await run(
        builtProgram("scan-folder"), [folder.path, "-o", csv.path, "--device-type", "MacBook"],
        environment: ["SERIALSCAN_URL": server.address.absoluteString])
      #expect(status == 0)
      #expect(output.contains("[##############################] 4/4"))
      #expect(output.contains("2 accepted, 0 need review, 1 without a serial, 1 not read"))
      let lines = try String(contentsOf: csv, encoding: .utf8).components(separatedBy: "\r\n")
      #expect(lines.count == 6)
      #expect(lines[0] == #""filename","serial","confidence","error","verdict""#)
      #expect(lines[1].hasPrefix(#""etched_clean_1.jpg","G0NKP62BLGMZ","0.9"#))
      #expect(lines[1].hasSuffix(#""","accepted""#))
      #expect(lines[3].hasPrefix(#""no_serial_1.jpg","","","No serial number was found"#))
      #expect(lines[4].hasSuffix(#""failed""#))
    }
    #expect(try await TortureTests.filenames(server).count == 3)
  }

  @Test func reportsMissingFolder() async throws {
    let (status, output) = try await run(builtProgram("scan-folder"), ["/nowhere"])
    #expect(status == 1)
    #expect(output.contains("nowhere"))
    #expect(try await run(builtProgram("scan-folder"), []).output.hasPrefix("usage: "))
  }
}

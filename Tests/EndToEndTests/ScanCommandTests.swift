import Foundation
import Testing

/// `serialscan scan` with real pictures: a row a picture, a tally, a spreadsheet, a database, and statuses for scripts.
@Suite(.serialized) struct ScanCommandTests {
  /// A folder of an accepted picture and one that is none.
  private static func folder(_ names: [String] = ["etched_clean_1.jpg"], broken: Bool = true) throws -> URL {
    let folder = RunningServer.freshFolder()
    for name in names {
      try FileManager.default.copyItem(
        at: LabelledPicture.generated.appendingPathComponent(name), to: folder.appendingPathComponent(name))
    }
    if broken { try Data("no picture".utf8).write(to: folder.appendingPathComponent("broken.jpg")) }
    return folder
  }

  @Test func everyPictureHasARowAndTheTallyCountsIt() throws {
    let folder = try Self.folder()
    let sheet = folder.appendingPathComponent("rows.csv")
    let run = try RunningServer.run(["scan", folder.path, "gone.jpg", "--output", sheet.path])
    #expect(
      run.status == 2 && run.output.hasSuffix("1 accepted, 0 to check, 0 without, 2 unreadable\n"), "\(run.output)")
    #expect(run.output.contains("gone.jpg: No such file.") && run.errors.isEmpty, "\(run.errors)")
    let rows = try String(contentsOf: sheet, encoding: .utf8).split(separator: "\r\n")
    #expect(rows.count == 4 && rows[1].contains("broken.jpg") && rows[2].contains("G0NKP62BLGMZ"))
    // Nothing was read there, so there is no confidence either.
    #expect(rows[3].contains(",,,,,,scan,FALSE,No such file.,gone.jpg,"), "\(rows[3])")
  }

  @Test func acceptedSerialsAreSavedInADatabaseThatIsMade() throws {
    let folder = try Self.folder()
    let data = folder.appendingPathComponent("data")
    let first = try RunningServer.run(["scan", folder.path, "--save", "--data", data.path, "--json"])
    #expect(first.status == 2)
    let saved = first.output.split(separator: "\n").map { $0.contains("\"saved_to_database\":true") }
    #expect(saved == [false, true], "\(first.output)")
    let export = folder.appendingPathComponent("serials.csv")
    #expect(try RunningServer.run(["export", export.path, "--data", data.path]).output.hasPrefix("wrote 1 serials"))
    // A server serves what was saved without one.
    let server = try RunningServer(data: data)
    #expect(server.process.isRunning)
  }

  @Test func whatCannotBeDoneIsSaidBeforeAnythingIsRead() throws {
    let folder = try Self.folder()
    let nowhere = folder.appendingPathComponent("nowhere/rows.xlsx")
    let run = try RunningServer.run(["scan", folder.path, "--output", nowhere.path])
    #expect(run.status == 1 && run.output.isEmpty && run.errors.contains("can't be written"), "\(run.errors)")
    let empty = try RunningServer.run(["scan", RunningServer.freshFolder().path])
    #expect(empty.status == 2 && empty.errors.contains("there is no picture in"), "\(empty.errors)")
    let missing = try RunningServer.run(["evaluate", folder.path + "/nowhere"])
    #expect(missing.status == 1 && missing.errors.contains("there is no folder"), "\(missing.errors)")
  }

  @Test func rowsAreInTheOrderOfTheirNamesHoweverManyAreReadAtATime() throws {
    let names = ["etched_clean_1.jpg", "etched_clean_2.jpg", "no_serial_1.jpg", "screen_clean_1.jpg"]
    let folder = try Self.folder(names, broken: false)
    let run = try RunningServer.run(["scan", folder.path, "--workers", "2"])
    let files = run.output.split(separator: "\n").dropFirst().dropLast().compactMap { $0.split(separator: "/").last }
    #expect(files.map(String.init) == names, "\(run.output)")
  }

  @Test func aTerminalHasABarAndColoursUnlessNoColorIsSet() throws {
    let folder = try Self.folder()
    let command = "\(RunningServer.executable.path) scan \(folder.path)"
    // `swift test` sets NO_COLOR for what it starts.
    let coloured = try CrashTests.output(
      of: "/usr/bin/env", ["-u", "NO_COLOR", "script", "-qec", command, "/dev/null"])
    #expect(
      coloured.contains("] 1 of 2") && coloured.contains("\u{1B}[32maccepted"), "\(coloured.debugDescription)")
    let plain = try CrashTests.output(of: "/usr/bin/env", ["NO_COLOR=1", "script", "-qec", command, "/dev/null"])
    #expect(plain.contains("accepted") && !plain.contains("\u{1B}[32m"))
  }

  @Test func whatWasReadBeforeAnInterruptIsWritten() throws {
    let folder = RunningServer.freshFolder()
    let picture = LabelledPicture.generated.appendingPathComponent("etched_clean_1.jpg")
    for number in 0..<200 {
      try FileManager.default.createSymbolicLink(
        at: folder.appendingPathComponent("\(1000 + number).jpg"), withDestinationURL: picture)
    }
    let sheet = folder.appendingPathComponent("rows.csv")
    let command = "\(RunningServer.executable.path) scan \(folder.path) --output \(sheet.path) --workers 1"
    // The signal comes with the fifth line that is printed.
    let script = """
      exec 3< <(exec \(command))
      scan=$!
      for line in 1 2 3 4 5; do read -r -u 3; done
      kill -INT $scan
      cat <&3
      wait $scan
      echo ended $?
      """
    let said = try CrashTests.output(of: "/bin/bash", ["-c", script])
    #expect(said.contains("ended 130") && said.contains(" accepted, 0 to check"), "\(said)")
    let rows = try String(contentsOf: sheet, encoding: .utf8).split(whereSeparator: \.isNewline).count - 1
    #expect((4..<200).contains(rows), "\(rows)")
  }
}

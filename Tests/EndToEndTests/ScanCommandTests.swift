import Foundation
import Testing

/// `serialscan scan` with real pictures: a row per picture, a tally, a spreadsheet, a database, and exit statuses.
@Suite(.serialized) struct ScanCommandTests {
  /// A folder of an accepted picture and a file that is not a picture.
  private static func folder(_ names: [String] = ["etched_clean_1.jpg"], broken: Bool = true) throws -> URL {
    let folder = RunningServer.freshFolder()
    for name in names {
      try FileManager.default.copyItem(
        at: LabelledPicture.generated.appendingPathComponent(name), to: folder.appendingPathComponent(name))
    }
    if broken { try Data("no picture".utf8).write(to: folder.appendingPathComponent("broken.jpg")) }
    return folder
  }

  @Test func writesAndCountsOneRowPerPicture() throws {
    let folder = try Self.folder()
    try Data("no picture".utf8).write(to: folder.appendingPathComponent(".hidden.jpg"))
    let sheet = folder.appendingPathComponent("rows.csv")
    let run = try RunningServer.run(["scan", folder.path, "gone.jpg", "--output", sheet.path])
    #expect(
      run.status == 2 && run.output.hasSuffix("1 accepted, 0 need review, 0 without serial, 2 unreadable\n"),
      "\(run.output)")
    #expect(
      run.errors.contains("serialscan: gone.jpg: No such file.\n") && !run.output.contains("No such file"), "\(run)")
    let rows = try String(contentsOf: sheet, encoding: .utf8).split(separator: "\r\n")
    #expect(rows.count == 4 && rows[1].contains("broken.jpg") && rows[2].contains("G0NKP62BLGMZ"))
    // Nothing was read, so there is neither a confidence nor a serial that is valid or not.
    #expect(rows[3].contains(",,,,,,scan,,No such file.,gone.jpg,,"), "\(rows[3])")
  }

  /// libpng warns of color profiles as some programs write them, and writes that to the terminal unless prevented.
  @Test func writesNoWarningAboutOddPNG() throws {
    let folder = try Self.folder(broken: false)
    var bytes = try Data(contentsOf: LabelledPicture.generated.appendingPathComponent("format_png.png"))
    // A chunk with a wrong checksum, behind the header.
    bytes.insert(contentsOf: [0, 0, 0, 4] + Array("gAMA".utf8) + [0, 0, 0xB1, 0x8F, 0, 0, 0, 0], at: 33)
    try bytes.write(to: folder.appendingPathComponent("odd.png"))
    let run = try RunningServer.run(["scan", folder.path])
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.output)\(run.errors)")
  }

  @Test func savesAcceptedSerialsInNewDatabase() throws {
    let folder = try Self.folder()
    let data = folder.appendingPathComponent("data")
    let first = try RunningServer.run(["scan", folder.path, "--save", "--data", data.path, "--json"])
    #expect(first.status == 2)
    let saved = first.output.split(separator: "\n").map { $0.contains("\"saved_to_database\":true") }
    #expect(saved == [false, true], "\(first.output)")
    let export = folder.appendingPathComponent("serials.csv")
    #expect(try RunningServer.run(["export", export.path, "--data", data.path]).output.hasPrefix("wrote 1 serial to "))
    // A server returns serials that were saved without one.
    let server = try RunningServer(data: data)
    #expect(server.process.isRunning)
  }

  @Test func reportsImpossibleOptionsBeforeReading() throws {
    let folder = try Self.folder()
    let nowhere = folder.appendingPathComponent("nowhere/rows.xlsx")
    let run = try RunningServer.run(["scan", folder.path, "--output", nowhere.path])
    #expect(run.status == 1 && run.output.isEmpty && run.errors.contains("can't be written"), "\(run.errors)")
    let empty = try RunningServer.run(["scan", RunningServer.freshFolder().path])
    #expect(empty.status == 2 && empty.errors.contains("there is no picture in"), "\(empty.errors)")
    let missing = try RunningServer.run(["evaluate", folder.path + "/nowhere"])
    #expect(missing.status == 1 && missing.errors.contains("there is no folder"), "\(missing.errors)")
  }

  @Test func rowsKeepNameOrderForAnyNumberOfReaders() throws {
    let names = ["etched_clean_1.jpg", "etched_clean_2.jpg", "no_serial_1.jpg", "screen_clean_1.jpg"]
    let folder = try Self.folder(names, broken: false)
    let run = try RunningServer.run(["scan", folder.path, "--workers", "2"])
    let files = run.output.split(separator: "\n").dropFirst().dropLast().compactMap { $0.split(separator: "/").last }
    #expect(files.map(String.init) == names, "\(run.output)")
  }

  @Test func terminalShowsProgressAndColorsUnlessNoColor() throws {
    let folder = try Self.folder()
    let command = "\(RunningServer.executable.path) scan \(folder.path)"
    // `swift test` sets NO_COLOR for its children.
    let coloured = try CrashTests.output(
      of: "/usr/bin/env", ["-u", "NO_COLOR", "script", "-qec", command, "/dev/null"])
    #expect(
      coloured.contains("] 1 of 2") && coloured.contains("\u{1B}[32maccepted"), "\(coloured.debugDescription)")
    let plain = try CrashTests.output(of: "/usr/bin/env", ["NO_COLOR=1", "script", "-qec", command, "/dev/null"])
    #expect(plain.contains("accepted") && !plain.contains("\u{1B}[32m"))
  }

  @Test func writesFinishedRowsOnInterrupt() throws {
    let folder = RunningServer.freshFolder()
    let picture = LabelledPicture.generated.appendingPathComponent("etched_clean_1.jpg")
    for number in 0..<200 {
      try FileManager.default.createSymbolicLink(
        at: folder.appendingPathComponent("\(1000 + number).jpg"), withDestinationURL: picture)
    }
    let sheet = folder.appendingPathComponent("rows.csv")
    let command = "\(RunningServer.executable.path) scan \(folder.path) --output \(sheet.path) --workers 1"
    // The signal arrives after the fifth printed line.
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
    #expect(said.contains("ended 130") && said.contains(" accepted, 0 need review"), "\(said)")
    #expect(said.contains("This is part of a run: it was interrupted after "), "\(said)")
    let rows = try String(contentsOf: sheet, encoding: .utf8).split(whereSeparator: \.isNewline).count - 1
    #expect((4..<200).contains(rows), "\(rows)")
  }

  /// A folder with pictures on two levels, and with other files.
  private static func nested() throws -> URL {
    let folder = try Self.folder(broken: false)
    let below = folder.appendingPathComponent("in/deep")
    try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: LabelledPicture.generated.appendingPathComponent("etched_clean_2.jpg"),
      to: below.appendingPathComponent("etched_clean_1.png"))
    for name in ["._etched_clean_1.jpg", "notes.txt", ".DS_Store", "in/list.pdf"] {
      try Data("no picture".utf8).write(to: folder.appendingPathComponent(name))
    }
    // A loop for programs that follow links.
    try FileManager.default.createSymbolicLink(
      at: below.appendingPathComponent("up"), withDestinationURL: folder)
    return folder
  }

  @Test func readsFoldersRecursivelyAndReportsSkippedFiles() throws {
    let folder = try Self.nested()
    let all = try RunningServer.run(["scan", folder.path])
    #expect(
      all.status == 0
        && all.output.hasSuffix("2 accepted, 0 need review, 0 without serial, 0 unreadable\n2 files are not pictures\n"),
      "\(all.output)")
    let flat = try RunningServer.run(["scan", folder.path, "--no-recursive"])
    #expect(
      flat.status == 0
        && flat.output.hasSuffix(
          "1 accepted, 0 need review, 0 without serial, 0 unreadable\n1 file is not a picture\n1 folder was skipped\n"),
      "\(flat.output)")
  }

  @Test func drawsEveryPictureIntoItsOwnFile() throws {
    let folder = try Self.nested()
    let drawn = folder.deletingLastPathComponent().appendingPathComponent(UUID().uuidString)
    let run = try RunningServer.run([
      "scan", folder.path, folder.path + "/etched_clean_1.jpg", "--annotate", drawn.path,
    ])
    #expect(run.status == 0, "\(run.errors)")
    for name in ["etched_clean_1.png", "etched_clean_1-2.png", "in/deep/etched_clean_1.png"] {
      let png = try Data(contentsOf: drawn.appendingPathComponent(name))
      #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47]), "\(name)")
    }
    let one = try RunningServer.run(["scan", folder.path, "--annotate", drawn.path + "/one.png"])
    #expect(one.status == 64 && one.errors.contains("name a folder"), "\(one.errors)")
  }

  @Test(arguments: [("other_maker.jpg", "other maker"), ("serial_of_battery.png", "a part's")])
  func tableSaysWhatTheSerialIsInstead(picture: String, verdict: String) throws {
    let run = try RunningServer.run(["scan", LabelledPicture.generated.appendingPathComponent(picture).path])
    #expect(run.status == 2 && run.output.contains("  \(verdict)  "), "\(run.output)")
    #expect(run.output.hasSuffix("1 without serial, 0 unreadable\n"), "\(run.output)")
  }

  @Test func explainPageShowsOnePicture() throws {
    let folder = try Self.folder()
    let page = folder.appendingPathComponent("how.html")
    let run = try RunningServer.run(["scan", folder.path + "/etched_clean_1.jpg", "--explain", page.path])
    #expect(run.status == 0 && run.output.contains("G0NKP62BLGMZ"), "\(run.errors)")
    #expect(try String(contentsOf: page, encoding: .utf8).contains("<b class=\"accepted\">G0NKP62BLGMZ</b>"))
    let several = try RunningServer.run(["scan", folder.path, "--explain", page.path])
    #expect(several.status == 64 && several.errors.contains("explains one picture"), "\(several.errors)")
    let nowhere = folder.appendingPathComponent("nowhere/how.html")
    let unwritable = try RunningServer.run(["scan", folder.path + "/etched_clean_1.jpg", "--explain", nowhere.path])
    #expect(unwritable.status == 1 && unwritable.errors.contains("can't be written"), "\(unwritable.errors)")
  }

  @Test func savesSerialOncePerPhoto() throws {
    let folder = try Self.folder(broken: false)
    let data = ["--data", folder.appendingPathComponent("data").path]
    for path in [folder.path, folder.path + "/etched_clean_1.jpg", folder.path + "/./"] {
      let run = try RunningServer.run(["scan", path, "--save", "--json", "--no-recursive"] + data)
      #expect(run.status == 0 && run.output.contains("\"saved_to_database\":true"), "\(run.output)")
    }
    let export = folder.appendingPathComponent("serials.csv").path
    #expect(try RunningServer.run(["export", export] + data).output.hasPrefix("wrote 1 serial to "))
  }

  @Test func skipDoneContinuesEarlierRun() throws {
    let folder = try Self.folder(broken: false)
    let output = ["--output", folder.appendingPathComponent("rows.csv").path, "--skip-done"]
    #expect(try RunningServer.run(["scan", folder.path] + output).output.contains("1 accepted"))
    try FileManager.default.copyItem(
      at: LabelledPicture.generated.appendingPathComponent("etched_clean_2.jpg"),
      to: folder.appendingPathComponent("etched_clean_2.jpg"))
    let second = try RunningServer.run(["scan", folder.path] + output)
    #expect(
      second.output.contains("1 accepted") && second.output.contains("1 picture was read before"), "\(second.output)")
    let rows = try String(contentsOfFile: output[1], encoding: .utf8).split(separator: "\r\n")
    #expect(rows.count == 3 && rows[1].hasPrefix("1,") && rows[2].hasPrefix("2,"), "\(rows)")
    try Data("mine\n".utf8).write(to: URL(fileURLWithPath: output[1]))
    let foreign = try RunningServer.run(["scan", folder.path] + output)
    #expect(foreign.status == 1 && foreign.errors.contains("has other columns"), "\(foreign.errors)")
    #expect(try String(contentsOfFile: output[1], encoding: .utf8) == "mine\n")
  }

  @Test func picturesAreNotReplacedByOutputs() throws {
    let folder = try Self.folder(["format_png.png"], broken: false)
    let picture = folder.appendingPathComponent("format_png.png")
    let before = try Data(contentsOf: picture)
    let links = folder.appendingPathComponent("links")
    try FileManager.default.createDirectory(at: links, withIntermediateDirectories: true)
    for name in ["format_png.png", "page.html", "rows.csv"] {
      try FileManager.default.createSymbolicLink(
        at: links.appendingPathComponent(name), withDestinationURL: picture)
    }
    for output in [
      ["--annotate", folder.path], ["--annotate", picture.path], ["--annotate", links.path],
      ["--explain", links.path + "/page.html"], ["--output", links.path + "/rows.csv"],
    ] {
      let run = try RunningServer.run(["scan", picture.path] + output)
      #expect(run.status == 64 && run.errors.contains("would replace") && run.output.isEmpty, "\(run)")
    }
    #expect(try Data(contentsOf: picture) == before)
  }

  /// Reads a folder of many links to a picture until five rows are printed, then sends a signal. Returns the folder's
  /// number of pictures and the output after the signal.
  private static func scanUntil(_ signal: String, _ output: URL) throws -> (folder: URL, said: String) {
    let folder = RunningServer.freshFolder()
    let picture = LabelledPicture.generated.appendingPathComponent("etched_clean_1.jpg")
    for number in 0..<200 {
      try FileManager.default.createSymbolicLink(
        at: folder.appendingPathComponent("\(1000 + number).jpg"), withDestinationURL: picture)
    }
    let command = "\(RunningServer.executable.path) scan \(folder.path) --output \(output.path) --workers 1"
    let script = """
      exec 3< <(exec \(command) 2>&1)
      scan=$!
      for line in 1 2 3 4 5; do read -r -u 3; done
      kill -\(signal) $scan
      cat <&3
      wait $scan
      echo ended $?
      """
    return (folder, try CrashTests.output(of: "/bin/bash", ["-c", script]))
  }

  @Test func killedRunKeepsItsRowsAndIsContinued() throws {
    let sheet = RunningServer.freshFolder().appendingPathComponent("rows.csv")
    let (folder, said) = try Self.scanUntil("KILL", sheet)
    #expect(said.contains("ended 137"), "\(said)")
    let rows = try String(contentsOf: sheet, encoding: .utf8).split(separator: "\r\n").count - 1
    #expect((4..<200).contains(rows), "\(rows)")
    for number in 10..<200 {
      try FileManager.default.removeItem(at: folder.appendingPathComponent("\(1000 + number).jpg"))
    }
    let rest = try RunningServer.run(["scan", folder.path, "--output", sheet.path, "--skip-done"])
    #expect(rest.status == 0 && rest.output.contains("read before"), "\(rest)")
    let all = try String(contentsOf: sheet, encoding: .utf8).split(separator: "\r\n").dropFirst()
    let names = all.compactMap { $0.firstMatch(of: #/\d+\.jpg/#).map { String($0.output) } }
    #expect(names == (0..<names.count).map { "\(1000 + $0).jpg" } && names.count >= 10, "\(names)")
  }

  @Test func closedTerminalLeavesWorkbook() throws {
    let sheet = RunningServer.freshFolder().appendingPathComponent("rows.xlsx")
    let (_, said) = try Self.scanUntil("HUP", sheet)
    #expect(said.contains("ended 130") && said.contains("it was interrupted after "), "\(said)")
    #expect(try Data(contentsOf: sheet).starts(with: [0x50, 0x4B]))
  }

  @Test func failedDrawingKeepsRowsOfEarlierPictures() throws {
    let folder = try Self.folder(["etched_clean_1.jpg", "etched_clean_2.jpg"], broken: false)
    let drawn = folder.appendingPathComponent("drawn")
    // A folder in place of the second drawing.
    try FileManager.default.createDirectory(
      at: drawn.appendingPathComponent("etched_clean_2.png/x"), withIntermediateDirectories: true)
    let sheet = folder.appendingPathComponent("rows.csv")
    let run = try RunningServer.run([
      "scan", folder.path, "--no-recursive", "--annotate", drawn.path, "--output", sheet.path,
    ])
    #expect(run.status == 1 && run.errors.contains("etched_clean_2.png can't be written"), "\(run)")
    let rows = try String(contentsOf: sheet, encoding: .utf8).split(separator: "\r\n")
    #expect(rows.count == 2 && rows[1].contains("etched_clean_1.jpg"), "\(rows)")
  }

  @Test func skipDoneRecognizesPicturesByAnyPath() throws {
    let folder = try Self.folder(["etched_clean_1.jpg", "etched_clean_2.jpg"], broken: false)
    let base = folder.deletingLastPathComponent()
    let link = base.appendingPathComponent("link-" + UUID().uuidString)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder)
    let sheet = RunningServer.freshFolder().appendingPathComponent("rows.csv")
    for (start, name) in [
      (base, folder.lastPathComponent), (base, "./" + folder.lastPathComponent + "/"), (base, folder.path),
      (folder, "."), (base, link.lastPathComponent),
    ] {
      let command =
        "cd '\(start.path)' && '\(RunningServer.executable.path)' scan '\(name)' --output '\(sheet.path)' --skip-done"
      _ = try CrashTests.output(of: "/bin/sh", ["-c", command])
      let rows = try String(contentsOf: sheet, encoding: .utf8).split(separator: "\r\n")
      #expect(rows.count == 3, "\(name): \(rows)")
    }
  }

  @Test func skipDoneRetriesUnreadablePictures() throws {
    let folder = try Self.folder()
    let sheet = folder.appendingPathComponent("rows.csv")
    let arguments = ["scan", folder.path, "--output", sheet.path, "--skip-done"]
    #expect(try RunningServer.run(arguments).output.contains("1 unreadable"))
    let broken = folder.appendingPathComponent("broken.jpg")
    try Data(contentsOf: LabelledPicture.generated.appendingPathComponent("etched_clean_2.jpg")).write(to: broken)
    let second = try RunningServer.run(arguments)
    #expect(second.status == 0 && second.output.contains("1 picture was read before"), "\(second)")
    let rows = try String(contentsOf: sheet, encoding: .utf8).split(separator: "\r\n")
    #expect(rows.count == 3 && rows[1].hasPrefix("2,") && rows[2].hasPrefix("3,"), "\(rows)")
    #expect(rows[2].contains("broken.jpg") && rows[2].contains("FK1CRVYNLFK3"), "\(rows)")
  }

  /// Cut at every byte of its last row, also inside quotes, a file is continued to the same rows.
  @Test func skipDoneContinuesCutOrEmptyFile() throws {
    let folder = try Self.folder(["etched_clean_1.jpg", "etched_clean_2.jpg"], broken: false)
    let quoted = folder.appendingPathComponent("a, \"b\".jpg")
    try FileManager.default.moveItem(at: folder.appendingPathComponent("etched_clean_2.jpg"), to: quoted)
    let sheet = folder.appendingPathComponent("rows.csv")
    let arguments = ["scan", quoted.path, folder.path + "/etched_clean_1.jpg", "--output", sheet.path, "--skip-done"]
    func names() throws -> [Bool] {
      let rows = try String(contentsOf: sheet, encoding: .utf8).split(separator: "\r\n").dropFirst()
      return rows.map { $0.contains(#"/a, ""b"".jpg"#) }
    }
    try Data().write(to: sheet)
    #expect(try RunningServer.run(arguments).status == 0)
    #expect(try names() == [true, false])
    let whole = try Data(contentsOf: sheet)
    let name = try #require(whole.range(of: Data("/a, ".utf8)))
    for length in [name.upperBound, whole.count - 30, whole.count - 1] {
      try whole.prefix(length).write(to: sheet)
      #expect(try RunningServer.run(arguments).status == 0)
      let found = try names()
      #expect(found.count == 2 && found.contains(true) && found.contains(false), "\(length): \(found)")
    }
  }

  @Test func namesAreEscapedInTablesErrorsAndSpreadsheets() throws {
    let folder = try Self.folder(broken: false)
    let name = "a\u{1B}[31m\nb.jpg"
    try FileManager.default.moveItem(
      at: folder.appendingPathComponent("etched_clean_1.jpg"), to: folder.appendingPathComponent(name))
    let sheet = folder.appendingPathComponent("rows.csv")
    let run = try RunningServer.run(["scan", folder.path, "x\u{1B}.jpg", "--output", sheet.path])
    let wrong = try RunningServer.run(["export", "a\u{1B}[31m.pdf"])
    let missing = try RunningServer.run(["evaluate", "no\u{1B}where"])
    let unknown = try RunningServer.run(["scan", "x.jpg", "--a\u{1B}b"])
    for text in [
      run.output, wrong.errors, missing.errors, unknown.errors, try String(contentsOf: sheet, encoding: .utf8),
    ] {
      #expect(!text.contains("\u{1B}") && text.contains(#"\u{1B}"#), "\(text)")
    }
    #expect(run.output.contains(#"a\u{1B}[31m\nb.jpg"#), "\(run.output)")
  }
}

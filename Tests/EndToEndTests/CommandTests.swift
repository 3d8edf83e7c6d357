import Foundation
import Testing

/// Commands beside a server: they create nothing, and only its owner can access a data folder.
@Suite(.serialized) struct CommandTests {
  private static func mode(_ file: URL) throws -> Int {
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
    return try #require(mode).intValue
  }

  @Test(arguments: [
    ["keys", "add", "x"], ["keys", "list"], ["models", "list"], ["export", "/tmp/none.csv"],
    ["backup", "/tmp/none.sqlite"],
  ])
  func commandCreatesNoDatabase(_ arguments: [String]) throws {
    let data = RunningServer.freshFolder().appendingPathComponent("data")
    let run = try RunningServer.run(arguments + ["--data", data.path])
    #expect(run.status == 1 && run.errors.contains("There is no database at \(data.path)"), "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: data.path))
  }

  /// A loop of links stands for a folder that this user may not open, because tests may run as root.
  @Test(arguments: [
    ["export", "/tmp/none.csv", "--data", "LOOP"], ["keys", "list", "--data", "LOOP"],
    ["models", "list", "--data", "LOOP"], ["backup", "/tmp/none.sqlite", "--data", "LOOP"],
    ["copy", "--from", "LOOP", "--to", "postgresql://nobody@localhost:1/none"],
    ["restore", "LOOP", "--data", "/tmp/none"], ["evaluate", "LOOP"], ["sweep", "LOOP", "--preset", "etched"],
    ["watch", "LOOP"], ["track", "LOOP", "--box", "1,1,9,9"], ["doctor", "--data", "LOOP"], ["scan", "LOOP"],
  ])
  func unreachablePathIsNotReportedAsMissing(_ arguments: [String]) throws {
    let loop = RunningServer.freshFolder().appendingPathComponent("loop").path
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    let run = try RunningServer.run(arguments.map { $0 == "LOOP" ? loop : $0 })
    #expect(run.status != 0 && (run.output + run.errors).contains("Too many levels of symbolic links"), "\(run)")
  }

  @Test(arguments: [
    ["evaluate", "FOLDER"], ["sweep", "FOLDER", "--preset", "etched"], ["track", "FOLDER", "--box", "1,1,9,9"],
  ])
  func folderThatCannotBeListedIsNotReportedAsEmpty(_ arguments: [String]) throws {
    let folder = RunningServer.freshFolder().path
    #expect(chmod(folder, 0) == 0)
    defer { chmod(folder, 0o700) }
    let words = Self.withoutRightsOfRoot + arguments.map { $0 == "FOLDER" ? folder : $0 }
    let text = try CrashTests.output(of: "/usr/bin/env", words)
    #expect(text.contains("ermission"), "\(text)")
  }

  /// A copy or a synchronisation may leave out the log beside a database that nobody uses.
  @Test func commandsLeaveDatabaseComplete() throws {
    let data = RunningServer.freshFolder().path
    #expect(try RunningServer.run(["keys", "add", "door", "--scopes", "admin", "--data", data]).status == 0)
    let codes = data + "/codes.csv"
    try "code,name\nMD6T,MacBook Pro\n".write(toFile: codes, atomically: true, encoding: .utf8)
    #expect(try RunningServer.run(["models", "import", codes, "--data", data]).status == 0)
    for ending in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: data + "/serialscan.sqlite" + ending) }
    #expect(try RunningServer.run(["keys", "list", "--data", data]).output.contains("door"))
    #expect(try RunningServer.run(["models", "list", "--data", data]).output.contains("MD6T"))
  }

  /// SQLite opens a database for reading if this user may not write it, and a server would accept nothing.
  @Test func unwritableDatabaseStopsStart() throws {
    let data = RunningServer.freshFolder().path
    #expect(try RunningServer.run(["keys", "add", "x", "--scopes", "admin", "--data", data]).status == 0)
    #expect(chmod(data + "/serialscan.sqlite", 0o400) == 0)
    let arguments = ["serve", "--host", "127.0.0.1", "--port", "0", "--data", data]
    let text = try CrashTests.output(of: "/usr/bin/env", Self.withoutRightsOfRoot + arguments)
    #expect(text.contains("serialscan.sqlite can't be used: Permission denied"), "\(text)")
  }

  /// The beginning of a command line for `env` that runs the program with its errors in its output, and which also as root
  /// observes permissions.
  private static var withoutRightsOfRoot: [String] {
    let limited = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]
    return ["sh", "-c", "\"$@\" 2>&1", "sh"] + (getuid() == 0 ? limited : []) + [RunningServer.executable.path]
  }

  @Test func watchRejectsFile() throws {
    let file = RunningServer.freshFolder().appendingPathComponent("photo.jpg")
    try Data().write(to: file)
    let run = try RunningServer.run(["watch", file.path, "--once"])
    #expect(run.status == 1 && run.errors.contains("photo.jpg is a file; name the folder"), "\(run)")
  }

  @Test(arguments: ["", "  ", "a\nb", "\u{1B}[31m", String(repeating: "x", count: 101)])
  func keysAddRejectsNamesThatTheAPIRejects(_ name: String) throws {
    let server = try RunningServer()
    defer { server.stop() }
    let run = try RunningServer.run(["keys", "add", name, "--scopes", "admin", "--data", server.data.path])
    #expect(run.status == 64 && run.output.isEmpty, "\(run)")
    #expect(run.errors.contains("the name must be 1 to 100 characters"), "\(run.errors)")
  }

  @Test(arguments: [
    (["export", "/tmp/none.csv", "--tz", "CEST"], "export"), (["keys", "add", "x", "--scopes", "none"], "keys add"),
    (["serve", "--port", "99999"], "serve"), (["config", "--set", "queue.leese=1"], "config"),
  ])
  func usageErrorNamesItsCommand(_ arguments: [String], command: String) throws {
    let run = try RunningServer.run(arguments)
    let lines = run.errors.split(separator: "\n")
    #expect(run.status == 64 && lines.count >= 3 && lines.first?.hasPrefix("Error: ") == true, "\(run)")
    #expect(lines.dropFirst().first?.hasPrefix("Usage: serialscan \(command) ") == true, "\(run)")
    #expect(lines.last == "  See 'serialscan \(command) --help' for more information.", "\(run)")
  }

  @Test(arguments: [
    (["sacn", "photos"], "There is no command `sacn`. Did you mean `scan`?"),
    (["help", "modles"], "There is no command `modles`. Did you mean `models`?"),
    (["models", "imprt", "codes.csv"], "There is no command `imprt`. Did you mean `import`?"),
    (["photos"], "There is no command `photos`."), ([""], "The name of the command is empty."),
    (["keys", ""], "The name of the command is empty."),
    (
      ["scan", "a.jpg", "-photo.jpg"], "There is no option `-photo.jpg`. For a file of this name, write `./-photo.jpg`."
    ),
  ])
  func unknownWordIsRejectedWithAdvice(_ arguments: [String], error: String) throws {
    let run = try RunningServer.run(arguments)
    #expect(run.status == 64 && run.output.isEmpty && run.errors.hasPrefix("Error: \(error)\nUsage: "), "\(run)")
  }

  @Test(arguments: [
    (["scan", ""], "<files>"), (["watch", ""], "<folder>"), (["evaluate", ""], "<directory>"),
    (["sweep", "", "--preset", "etched"], "<directory>"), (["export", ""], "<file>"), (["backup", ""], "<file>"),
    (["restore", ""], "<file>"), (["copy", "--from", "", "--to", "x"], "--from"), (["models", "import", ""], "<file>"),
    (["models", "remove", ""], "<codes>"), (["keys", "revoke", ""], "<key>"),
    (["track", "", "--box", "1,1,9,9"], "<video>"),
    (["watch", ".", "--done", ""], "--done"), (["evaluate", ".", "--csv", ""], "--csv"),
    (["config", "--config", ""], "--config"), (["config", "--data", ""], "--data"),
  ])
  func emptyPathIsRejectedByName(_ arguments: [String], name: String) throws {
    let run = try RunningServer.run(arguments)
    #expect([64, 78].contains(run.status) && run.output.isEmpty, "\(run)")
    let first = run.errors.split(separator: "\n").first ?? ""
    #expect(first.contains(name) && first.contains("must"), "\(run)")
  }

  /// A service manager would restart the program endlessly after any other status.
  @Test func invalidSettingsExitWithOwnStatus() throws {
    let data = ["--data", RunningServer.freshFolder().appendingPathComponent("data").path]
    for command in ["serve", "work"] {
      let file = RunningServer.freshFolder().appendingPathComponent("settings.yaml")
      try Data("queue:\n  lease: soon\n".utf8).write(to: file)
      let wrong = try RunningServer.run([command, "--config", file.path] + data)
      #expect(wrong.status == 78 && wrong.errors.contains("queue.lease"), "\(wrong.errors)")
      let missing = try RunningServer.run([command, "--config", "/none/settings.yaml"] + data)
      #expect(missing.status == 78 && missing.errors.contains("/none/settings.yaml"), "\(missing.errors)")
    }
    let idle = try RunningServer.run(["work"] + data)
    #expect(idle.status == 78 && idle.errors.contains("--store"), "\(idle.errors)")
    let units = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("packaging/debian")
    for unit in ["serialscan.service", "serialscan-work.service"] {
      let text = try String(contentsOf: units.appendingPathComponent(unit), encoding: .utf8)
      #expect(text.contains("RestartPreventExitStatus=64 78\n"), "\(unit)")
    }
  }

  @Test func onlyServerMigratesOlderDatabaseAfterCopy() async throws {
    let first = try RunningServer()
    first.stop()
    let newest = try CrashTests.sqlite(first.data, "SELECT max(number) FROM schema_migrations")
    try Self.makeDatabaseOfThirdMigration(in: first.data)
    let list = try RunningServer.run(["keys", "list", "--data", first.data.path])
    #expect(list.status == 1 && list.errors.contains("older version"), "\(list.errors)")
    #expect(try CrashTests.sqlite(first.data, "SELECT max(number) FROM schema_migrations") == "3")
    let second = try RunningServer(data: first.data)
    #expect(try await second.get("/history").json["total"] as? Int == 1)
    #expect(try CrashTests.sqlite(first.data, "SELECT max(number) FROM schema_migrations") == newest)
    let copy = first.data.appendingPathComponent("serialscan.sqlite.before-4")
    let found = try CrashTests.output(
      of: "/usr/bin/sqlite3", [copy.path, "SELECT max(number), (SELECT serial FROM serials) FROM schema_migrations"])
    #expect(found == "3|C02XL0THJHCC")
    #expect(second.logText.contains("copy=\(copy.path)") && !first.logText.contains("migrated"), "\(second.logText)")
    #expect(try Self.mode(copy) == 0o600)
  }

  /// Replaces a database with one of the first three migrations and one serial, as an early version left it.
  private static func makeDatabaseOfThirdMigration(in data: URL) throws {
    let newest = data.appendingPathComponent("serialscan.sqlite")
    let old = data.appendingPathComponent("old.sqlite")
    let migrations = InterfaceDocumentTests.root.appendingPathComponent("Migrations")
    let names = ["0001_jobs.sql", "0002_serials.sql", "0003_keys_and_tasks.sql"]
    _ = try CrashTests.output(
      of: "/usr/bin/sqlite3",
      [old.path] + names.map { ".read '\(migrations.appendingPathComponent($0).path)'" } + [
        "INSERT INTO serials (created_at, serial, confidence, source, valid) VALUES (1, 'C02XL0THJHCC', 1, 'scan', 1)",
        "ATTACH '\(newest.path)' AS newest",
        "CREATE TABLE schema_migrations AS SELECT * FROM newest.schema_migrations WHERE number <= 3",
      ])
    try FileManager.default.removeItem(at: newest)
    try FileManager.default.moveItem(at: old, to: newest)
  }

  @Test func missingDatabaseStopsStartAndKeepsPhotos() async throws {
    let first = try RunningServer()
    _ = try await first.scan(BadInputTests.picture())
    first.stop()
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(at: first.data.appendingPathComponent("serialscan.sqlite\(ending)"))
    }
    let before = first.filesBesidesDatabase()
    let run = try RunningServer.run(["serve", "--host", "127.0.0.1", "--port", "0", "--data", first.data.path])
    #expect(run.status == 1 && run.errors.contains("There are photos in"), "\(run.errors)")
    #expect(first.filesBesidesDatabase() == before && !before.isEmpty)
    let doctor = try RunningServer.run(["doctor", "--data", first.data.path])
    #expect(doctor.status == 1 && doctor.output.contains("problem  database"))
  }

  @Test func dataFolderIsPrivateForAnyUmask() async throws {
    let before = umask(0)
    defer { umask(before) }
    let server = try RunningServer(data: RunningServer.freshFolder().appendingPathComponent("data"))
    _ = try await server.scan(BadInputTests.picture(), fields: ["debug": "true"])
    let files = FileManager.default.enumerator(at: server.data, includingPropertiesForKeys: nil)
    let all = (files?.allObjects as? [URL] ?? []) + [server.data]
    #expect(all.count > 256)
    for file in all { #expect(try Self.mode(file) & 0o077 == 0, "\(file.path)") }
    // The next start closes files that an earlier version left open.
    server.stop()
    _ = try CrashTests.output(of: "/bin/chmod", ["755", server.data.path, server.data.path + "/photos"])
    let second = try RunningServer(data: server.data)
    #expect(try Self.mode(second.data) == 0o700 && Self.mode(second.data.appendingPathComponent("photos")) == 0o700)
  }

  @Test func clearingKeysOpensServer() async throws {
    let server = try RunningServer()
    let first = try RunningServer.run(["keys", "add", "phone", "--data", server.data.path])
    #expect(first.status == 1 && first.errors.contains("--scopes admin"), "the server requires a key once one exists")
    #expect(
      try RunningServer.run(["keys", "add", "phone", "--scopes", "admin", "--data", server.data.path]).status == 0)
    #expect(try await CrashTests.eventually { try await server.get("/jobs").status == 401 })
    #expect(try RunningServer.run(["keys", "clear", "--data", server.data.path]).status == 1)
    #expect(try await server.get("/jobs").status == 401)
    #expect(try RunningServer.run(["keys", "clear", "--yes", "--data", server.data.path]).status == 0)
    #expect(try await CrashTests.eventually { try await server.get("/jobs").status == 200 })
  }

  /// Opening a pipe would wait for its other end.
  @Test func rejectsPipeWithoutWaiting() throws {
    let pipe = RunningServer.freshFolder().appendingPathComponent("pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    let film = try RunningServer.run(["track", pipe, "--box", "1,1,9,9"])
    #expect(film.status == 1 && film.errors.contains("is a pipe or a device"), "\(film.errors)")
    #expect(try RunningServer.run(["scan", pipe]).status == 2)
    let gates = try RunningServer.run(["evaluate", LabelledPicture.generated.path, "--gates", pipe])
    #expect(gates.status == 1 && gates.errors.contains("does not exist or can't be read"), "\(gates.errors)")
    #expect(gates.output.isEmpty)
  }

  /// In place of ffmpeg, a program that writes two frames and complains as ffmpeg does.
  @Test(arguments: [
    ("[mov,mp4 @ 0x55] stream 0, offset 0x8: partial file", "film.mp4 is cut off after frame 1"),
    ("[matroska,webm @ 0x55] File ended prematurely", "film.mp4 is cut off after frame 1"),
    (
      "[h264 @ 0x55] error while decoding MB 35 14",
      "film.mp4 is damaged: parts of its 2 frames may be wrong or missing"
    ),
  ])
  func damagedFilmIsReportedInSentence(message: String, sentence: String) throws {
    let folder = RunningServer.freshFolder()
    let frame = LabelledPicture.generated.appendingPathComponent("sticker_clean_1.jpg").path
    let script = "#!/bin/sh\n/bin/cat '\(frame)' '\(frame)'\necho '\(message)' >&2\n"
    let program = folder.appendingPathComponent("ffmpeg")
    try Data(script.utf8).write(to: program)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program.path)
    let film = folder.appendingPathComponent("film.mp4").path
    try Data("film".utf8).write(to: URL(fileURLWithPath: film))
    let run = try RunningServer.run(["track", film, "--box", "100,100,300,300"], environment: ["PATH": folder.path])
    #expect(run.status == 0 && run.output.split(separator: "\n").count == 2)
    #expect(run.errors.hasSuffix("\(sentence)\n") && !run.errors.contains("0x"), "\(run.errors)")
  }

  /// Two frames nearer in time than the mean distance have the same time in the encoder's units.
  @Test func filmOfVaryingRateIsReadWhole() throws {
    let film = RunningServer.freshFolder().appendingPathComponent("film.mkv").path
    let ffmpeg = Process()
    ffmpeg.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    ffmpeg.arguments = [
      "ffmpeg", "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=10:duration=2", "-vf",
      "setpts='if(mod(N,2),PTS-0.09/TB,PTS)'", "-vsync", "passthrough", "-c:v", "ffv1", film,
    ]
    try ffmpeg.run()
    ffmpeg.waitUntilExit()
    let run = try RunningServer.run(["track", film, "--box", "100,100,200,200"])
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    #expect(run.output.split(separator: "\n").count == 20)
  }

  /// Runs the program in a shell, with its output redirected. Returns its status and what it wrote to standard error.
  private static func inShell(_ arguments: [String], _ redirection: String) throws -> (status: String, errors: String) {
    let folder = RunningServer.freshFolder()
    let script = "\"$@\" 2>'\(folder.path)/errors' \(redirection)\necho ${PIPESTATUS[0]} >'\(folder.path)/status'"
    _ = try CrashTests.output(of: "/bin/bash", ["-c", script, "-", RunningServer.executable.path] + arguments)
    let status = try String(contentsOf: folder.appendingPathComponent("status"), encoding: .utf8)
    return (
      status.trimmingCharacters(in: .whitespacesAndNewlines),
      try String(contentsOf: folder.appendingPathComponent("errors"), encoding: .utf8)
    )
  }

  @Test func fullStandardOutputIsAnError() throws {
    let server = try RunningServer()
    server.stop()
    let data = ["--data", server.data.path]
    let picture = LabelledPicture.generated.appendingPathComponent("etched_clean_1.jpg").path
    let sheet = server.data.appendingPathComponent("rows.csv").path
    for arguments in [
      ["scan", picture, "--json"], ["scan", picture, "--output", sheet], ["config"], ["version"], ["--help"],
      ["models", "list", "--csv"] + data, ["keys", "list"] + data,
    ] {
      let run = try Self.inShell(arguments, ">/dev/full")
      #expect(run.status == "1", "\(arguments)")
      #expect(
        run.errors.hasSuffix("serialscan: standard output could not be written: No space left on device\n"),
        "\(run.errors)")
    }
  }

  @Test func closedPipeEndsQuietly() throws {
    // The reader has gone before the second picture is read.
    let folder = RunningServer.freshFolder()
    let picture = LabelledPicture.generated.appendingPathComponent("no_serial_1.jpg").path
    let run = try Self.inShell(["scan"] + Array(repeating: picture, count: 3), "| head -1 >'\(folder.path)/line'")
    #expect(run.status == "141" && run.errors.isEmpty, "\(run)")
  }

  @Test func keyThatNobodySawIsRevoked() throws {
    let server = try RunningServer()
    server.stop()
    let data = ["--data", server.data.path]
    let run = try Self.inShell(["keys", "add", "phone", "--scopes", "admin"] + data, ">/dev/full")
    #expect(run.status == "1" && run.errors.contains("the key was revoked"), "\(run)")
    #expect(try RunningServer.run(["keys", "list"] + data).output.contains("phone  revoked "))
    #expect(try RunningServer.run(["keys", "add", "phone", "--scopes", "admin"] + data).status == 0)
  }

  @Test func inputsAreNotReplacedByOutputs() throws {
    let folder = RunningServer.freshFolder()
    let frames = folder.appendingPathComponent("frames")
    try FileManager.default.createDirectory(at: frames, withIntermediateDirectories: true)
    let picture = LabelledPicture.generated.appendingPathComponent("etched_clean_1.jpg")
    try FileManager.default.copyItem(at: picture, to: frames.appendingPathComponent("00000.jpg"))
    let linked = folder.appendingPathComponent("linked")
    try FileManager.default.createDirectory(at: linked, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: linked.appendingPathComponent("00000.jpg"), withDestinationURL: frames.appendingPathComponent("00000.jpg"))
    let labels = frames.appendingPathComponent("labels.csv")
    try Data("filename,serial\n00000.jpg,G0NKP62BLGMZ\n".utf8).write(to: labels)
    let track = ["track", frames.path, "--box", "190,90,690,480"]
    let evaluate = ["evaluate", frames.path]
    for arguments in [
      track + ["--overlay", frames.path], track + ["--overlay", linked.path], track + ["--masks", frames.path + "/"],
      evaluate + ["--csv", labels.path], evaluate + ["--table", labels.path], evaluate + ["--json", labels.path],
      evaluate + ["--diagram", frames.path + "/00000.jpg"],
      ["sweep", frames.path, "--preset", "etched", "--json", labels.path],
    ] {
      let run = try RunningServer.run(arguments)
      #expect(run.status == 64 && run.errors.contains("would replace") && run.output.isEmpty, "\(arguments): \(run)")
    }
    #expect(try Data(contentsOf: frames.appendingPathComponent("00000.jpg")) == Data(contentsOf: picture))
  }

  @Test func unusableAddressesAndFoldersAreReportedInSentences() throws {
    let data = RunningServer.freshFolder()
    for (host, sentence) in [
      ("999.1.1.1", "is neither an IP address nor a host name that can be found"),
      ("192.0.2.1", "is not an address of this machine"),
    ] {
      let run = try RunningServer.run(["serve", "--host", host, "--port", "0", "--data", data.path + "/data"])
      #expect(run.status == 1 && run.errors.contains("serialscan: \(host) \(sentence); set host"), "\(run.errors)")
    }
    let file = data.appendingPathComponent("file")
    try Data().write(to: file)
    for command in ["serve", "work"] {
      let store = command == "work" ? ["--store", "postgresql://127.0.0.1:1/none"] : []
      let run = try RunningServer.run([command, "--data", file.path] + store)
      #expect(run.status == 1 && run.errors.contains("the data folder \(file.path) can't be used: "), "\(run.errors)")
      #expect(!run.errors.contains("NSCocoa") && run.errors.contains("--data"), "\(run.errors)")
    }
    let store = try RunningServer.run([
      "work", "--store", "postgresql://127.0.0.1:1/none", "--data", data.path + "/data", "--set",
      "store.connect_timeout=1",
    ])
    #expect(store.status == 1 && !store.errors.contains("\\t") && !store.errors.contains("?. "), "\(store.errors)")
  }

  /// A folder in place of a file, a file in place of a folder, and a missing folder: found before any picture is read.
  @Test func unusableOutputsAreReportedInSentences() throws {
    let folder = RunningServer.freshFolder()
    let pictures = folder.appendingPathComponent("pictures")
    for name in ["pictures", "out.png", "out.html", "out.csv", "out.json", "out.mp4", "out.sqlite"] {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    let picture = pictures.appendingPathComponent("00000.jpg")
    try FileManager.default.copyItem(
      at: LabelledPicture.generated.appendingPathComponent("etched_clean_1.jpg"), to: picture)
    try Data("filename,serial\n00000.jpg,G0NKP62BLGMZ\n".utf8).write(
      to: pictures.appendingPathComponent("labels.csv"))
    let file = folder.appendingPathComponent("file")
    try Data().write(to: file)
    let out = folder.path + "/out"
    let (scan, track) = (["scan", picture.path], ["track", pictures.path, "--box", "190,90,690,480"])
    let evaluate = ["evaluate", pictures.path]
    for (arguments, sentence) in [
      (scan + ["--annotate", out + ".png"], "it is a folder. Name a file"),
      (scan + ["--annotate", file.path], "a file of this name exists. Choose another name"),
      (scan + ["--annotate", file.path + "/drawn"], "a part of its path is a file. Choose another place"),
      (scan + ["--explain", out + ".html"], "it is a folder. Name a file"),
      (scan + ["--output", out + ".csv"], "it is a folder. Name a file"),
      (track + ["--output", out + ".mp4"], "it is a folder. Name a file"),
      (track + ["--overlay", file.path + "/drawn"], "a part of its path is a file. Choose another place"),
      (evaluate + ["--csv", out + ".csv"], "it is a folder. Name a file"),
      (evaluate + ["--table", folder.path + "/nowhere/out.csv"], "Create the folder"),
      (evaluate + ["--json", out + ".json"], "it is a folder. Name a file"),
      (evaluate + ["--diagram", out + ".html"], "it is a folder. Name a file"),
      (["sweep", pictures.path, "--preset", "etched", "--json", out + ".json"], "it is a folder. Name a file"),
      (["export", out + ".csv", "--data", folder.path], "it is a folder. Name a file"),
      (["backup", out + ".sqlite", "--data", folder.path + "/data"], "it is a folder. Name a file"),
      (["watch", pictures.path, "--output", out + ".csv", "--data", out, "--once"], "it is a folder. Name a file"),
    ] {
      let run = try RunningServer.run(arguments)
      #expect(
        run.status == 1 && run.output.isEmpty && run.errors.hasSuffix("\n")
          && run.errors.split(separator: "\n").last?.contains(sentence) == true, "\(arguments): \(run)")
      #expect(!run.errors.contains("Error"), "\(run.errors)")
    }
  }

  @Test(.enabled(if: !TestStore.isShared)) func exportTakesFiltersOfServer() async throws {
    let server = try RunningServer(settings: ["fields.custom=asset_tag"])
    let json = ["Content-Type": "application/json"]
    let made = try await server.request("POST", "/batches", headers: json, body: Data(#"{"name": "Lot 14"}"#.utf8))
    let batch = try #require(made.json["id"] as? String)
    for body in [
      #"{"serial": "C02XL0THJHCC", "device_type": "MacBook Pro", "batch": "\#(batch)", "custom": {"asset_tag": "IT-1"}"#,
      #"{"serial": "G0NKP62BLGMZ", "device_type": "iPad""#, #"{"serial": "0012345678", "device_type": "iPad""#,
    ] {
      let scanned = Data((body + #", "source": "scanner"}"#).utf8)
      let saved = try await server.request("POST", "/serials", headers: json, body: scanned)
      try #require(saved.status == 200 || saved.status == 201, "\(saved)")
    }
    let file = RunningServer.freshFolder().appendingPathComponent("rows.csv")
    let data = ["--data", server.data.path, "--set", "fields.custom=asset_tag"]
    var texts: Set<String> = []
    for (options, query) in [
      (["--batch", batch.uppercased()], "batch=\(batch)"),
      (["--search", "c02x l0th jhcc"], "search=c02x%20l0th%20jhcc"),
      (["--rows", "devices", "--status", "confirmed"], "rows=devices&status=confirmed"),
      (["--rows", "devices", "--status", "imported"], "rows=devices&status=imported"),
      (["--rows", "devices", "--custom", "asset_tag=it-1"], "rows=devices&custom.asset_tag=it-1"),
      (["--date-from", "2026-01-01", "--tz", "Europe/Berlin"], "date_from=2026-01-01&tz=Europe/Berlin"),
      (["--date-to", "2026-01-01T12:00:00+01:00"], "date_to=2026-01-01T12:00:00%2B01:00"),
      (["--separator", ";"], "separator=%3B"), (["--digits-as-text"], "digits_as_text=true"),
      (
        ["--columns", "serial, device_type", "--validation-status", "valid"],
        "columns=serial,device_type&validation_status=valid"
      ),
    ] {
      let run = try RunningServer.run(["export", file.path] + options + data)
      #expect(run.status == 0, "\(options): \(run)")
      let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      let reply = try await server.get("/export?format=csv&\(query)")
      #expect(reply.status == 200 && text == String(decoding: reply.body, as: UTF8.self), "\(options)")
      texts.insert(text)
    }
    #expect(texts.count >= 6, "the options have no effect")
    for (options, status, sentence) in [
      (["--batch", "nosuch"], Int32(1), "There is no batch with the id `nosuch`"),
      (["--tz", "CEST"], 64, "--tz must be the IANA name of a time zone"),
      (["--status", "confirmed"], 64, "--status and custom fields filter devices: they need --rows devices."),
      (["--custom", "color=red", "--rows", "devices"], 64, "names no custom field: fields.custom has asset_tag"),
      (
        ["--date-from", "2026-02-01", "--date-to", "2026-01-01"], 64,
        "--date-from must not be after the end of the range"
      ),
      (["--separator", "|"], 64, "--separator"),
    ] {
      let run = try RunningServer.run(["export", file.path] + options + data)
      #expect(run.status == status && run.errors.contains(sentence), "\(options): \(run)")
    }
  }

  @Test func configShowsSettingsAndSources() throws {
    let run = try RunningServer.run(
      ["config", "--set", "queue.lease=20"], environment: ["SERIALSCAN_PORT": "8001", "SERIALSCAN_PROT": "1"])
    #expect(run.errors.contains("SERIALSCAN_PROT is not a setting"))
    #expect(run.status == 0)
    #expect(run.output.contains(#/(?m)^queue\.lease: 20 +# --set$/#))
    #expect(run.output.contains(#/(?m)^port: 8001 +# SERIALSCAN_PORT$/#))
    #expect(run.output.contains(#/(?m)^host: 0\.0\.0\.0 +# built-in/#))
  }

  @Test func configAndDoctorTakeFlagsOfServe() throws {
    let config = try RunningServer.run(["config", "--host", "127.0.0.1", "--port", "8001", "--workers", "2"])
    #expect(config.status == 0 && config.output.contains(#/(?m)^port: 8001 +# --port$/#), "\(config)")
    #expect(config.output.contains(#/(?m)^host: 127\.0\.0\.1 +# --host$/#))
    let data = RunningServer.freshFolder().path
    let doctor = try RunningServer.run(["doctor", "--host", "127.0.0.1", "--port", "8001", "--data", data])
    #expect(doctor.status == 0, "\(doctor)")
  }

  /// A server would not change the permissions of these either.
  @Test func doctorLeavesFoldersOfOthersAlone() throws {
    let folder = RunningServer.freshFolder()
    let file = folder.appendingPathComponent("notes.txt")
    try Data("mine".utf8).write(to: file)
    let ofFile = try RunningServer.run(["doctor", "--data", file.path])
    #expect(
      ofFile.status == 1 && ofFile.output.contains("problem  data: \(file.path) is a file; name a folder"), "\(ofFile)")
    #expect(chmod(folder.path, 0o755) == 0)
    let shared = try RunningServer.run(["doctor", "--data", folder.path])
    #expect(shared.output.contains("also contains other files (notes.txt)") && shared.status == 0, "\(shared)")
    let root = try RunningServer.run(["doctor", "--data", "/"])
    for run in [ofFile, shared, root] { #expect(!run.output.contains("chmod") && !run.output.contains("chown")) }
    try FileManager.default.removeItem(at: file)
    #expect(try RunningServer.run(["doctor", "--data", folder.path]).output.contains("chmod go= \(folder.path)"))
  }

  @Test func adminKeyCanBeCreatedBeforeFirstStart() async throws {
    let data = RunningServer.freshFolder().appendingPathComponent("data")
    let added = try RunningServer.run(["keys", "add", "me", "--scopes", "admin", "--data", data.path])
    #expect(
      added.status == 0 && added.errors.contains("created the database \(data.path)/serialscan.sqlite"), "\(added)")
    #expect(try Self.mode(data) == 0o700 && Self.mode(data.appendingPathComponent("serialscan.sqlite")) == 0o600)
    let server = try RunningServer(data: data)
    #expect(try await server.get("/jobs").status == 401)
    server.stop()
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(at: data.appendingPathComponent("serialscan.sqlite\(ending)"))
    }
    let photo = data.appendingPathComponent("photos/00")
    try FileManager.default.createDirectory(at: photo, withIntermediateDirectories: true)
    try Data("a".utf8).write(to: photo.appendingPathComponent("a"))
    let refused = try RunningServer.run(["keys", "add", "me", "--scopes", "admin", "--data", data.path])
    #expect(refused.status == 1 && refused.errors.contains("There are photos in"), "\(refused)")
  }

  @Test(arguments: [
    (["config", "--port", "-1"], "--port: expected a whole number from 0 to 65535, not \"-1\""),
    (["config", "--workers", "-1"], "--workers: expected auto or a whole number from 0 to 256"),
    (["watch", ".", "--settle", "-1"], "--settle must be"),
    (["config", "--set", "retention.photos=30d"], "expected a number of days from 0 to 36500, not \"30d\""),
    (["config", "--set", "queue.lease=20s"], "expected a number of seconds from 0.5 to 3600, not \"20s\""),
    (["config", "--set", "reading.accept=97%"], "expected a number from 0 to 1, not \"97%\""),
  ])
  func wrongNumbersNameRangeAndUnit(_ arguments: [String], _ sentence: String) throws {
    let run = try RunningServer.run(arguments)
    #expect(run.status != 0 && run.errors.contains(sentence), "\(run)")
  }

  @Test func rejectsTooManyReaders() throws {
    let run = try RunningServer.run(["evaluate", ".", "--jobs", "100000"])
    #expect(run.status != 0 && run.errors.contains("--jobs must be between 1 and 64"), "\(run.errors)")
  }

  @Test func pipeInsteadOfPictureOrLabelsDoesNotHang() throws {
    let folder = RunningServer.freshFolder()
    #expect(mkfifo(folder.appendingPathComponent("pipe.jpg").path, 0o600) == 0)
    let labels = folder.appendingPathComponent("labels.csv")
    try Data("filename,serial\npipe.jpg,\n".utf8).write(to: labels)
    let evaluated = try RunningServer.run(["evaluate", folder.path])
    #expect(evaluated.status == 0 && evaluated.output.contains(#/(?m)^unreadable +1 /#), "\(evaluated.output)")
    #expect(try RunningServer.run(["scan", folder.appendingPathComponent("pipe.jpg").path]).status == 2)
    try FileManager.default.removeItem(at: labels)
    #expect(mkfifo(labels.path, 0o600) == 0)
    #expect(try RunningServer.run(["evaluate", folder.path]).status == 1)
  }
}

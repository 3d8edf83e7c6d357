import Foundation
import SerialScanClient
import Support
import Testing

/// `serialscan watch` with the real program: each photo is read once, despite kills, missing folders and full disks.
@Suite(.serialized) struct WatchTests {
  /// A watched folder and its outputs.
  final class Bench: Sendable {
    let root = RunningServer.freshFolder()
    let folder: URL
    /// The folder for photos that were read.
    let done: URL
    var sheet: URL { root.appendingPathComponent("rows.csv") }
    var data: URL { root.appendingPathComponent("data") }

    init(done: URL? = nil) throws {
      folder = root.appendingPathComponent("in")
      self.done = done ?? root.appendingPathComponent("done")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// Copies a generated picture into the folder, with bytes that no other file has unless `distinct` is false.
    func put(_ name: String, as picture: String = "etched_clean_1", distinct: Bool = true) throws {
      try Self.bytes(picture, mark: distinct ? name : nil).write(to: folder.appendingPathComponent(name))
    }

    static func bytes(_ picture: String, mark: String? = nil) throws -> Data {
      let data = try Data(contentsOf: LabelledPicture.generated.appendingPathComponent("\(picture).jpg"))
      // Bytes after a JPEG's end are ignored.
      return data + Data((mark ?? "").utf8)
    }

    func arguments(_ more: String...) -> [String] {
      ["watch", folder.path, "--done", done.path, "--output", sheet.path, "--settle", "0.3"] + more
    }

    /// Photos in the folder, the names of those that were moved, and the file names of the spreadsheet's rows.
    func state() throws -> (left: [String], moved: [String], rows: [String]) {
      let rows = try String(contentsOf: sheet, encoding: .utf8).split(separator: "\r\n").dropFirst()
      return (
        Self.names(folder), Self.names(done),
        rows.compactMap { row in row.split(separator: ",").map(String.init).first { $0.contains(".jpg") } }.sorted()
      )
    }

    static func names(_ folder: URL) -> [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    /// File names of the saved serials of the store.
    func saved() throws -> [String] {
      let file = root.appendingPathComponent("saved.csv")
      _ = try RunningServer.run(["export", file.path, "--data", data.path])
      let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\r\n").dropFirst()
      return rows.compactMap { row in row.split(separator: ",").map(String.init).first { $0.contains(".jpg") } }
        .sorted()
    }
  }

  @Test func readsEachPhotoOnceAndMovesIt() throws {
    let bench = try Bench()
    try bench.put("a.jpg")
    try bench.put("b.jpg", as: "no_serial_1")
    try bench.put("half.jpg.part")
    try bench.put("._a.jpg")
    try bench.put(".syncthing.c.jpg.tmp")
    try Data().write(to: bench.folder.appendingPathComponent("empty.jpg"))
    try Data("hello".utf8).write(to: bench.folder.appendingPathComponent("notes.txt"))
    try FileManager.default.createSymbolicLink(
      atPath: bench.folder.appendingPathComponent("link.jpg").path, withDestinationPath: "/etc/passwd")
    let arguments = bench.arguments("--data", bench.data.path, "--once")
    let first = try RunningServer.run(arguments)
    #expect(first.status == 0 && first.output.contains("a.jpg  G0NKP62BLGMZ"), "\(first)")
    var state = try bench.state()
    #expect(state.left == ["._a.jpg", ".syncthing.c.jpg.tmp", "empty.jpg", "half.jpg.part", "link.jpg"])
    #expect(state.moved == ["a.jpg", "b.jpg", "unreadable"] && state.rows == ["a.jpg", "b.jpg"], "\(state)")
    #expect(Bench.names(bench.done.appendingPathComponent("unreadable")) == ["notes.txt"])
    // An upload is renamed; a photo arrives again; another has a name that exists.
    try FileManager.default.moveItem(
      at: bench.folder.appendingPathComponent("half.jpg.part"), to: bench.folder.appendingPathComponent("half.jpg"))
    try bench.put("a.jpg")
    try Bench.bytes("etched_clean_2").write(to: bench.folder.appendingPathComponent("b.jpg"))
    let second = try RunningServer.run(arguments)
    #expect(second.status == 0 && second.output.contains("a.jpg  was read before"), "\(second)")
    state = try bench.state()
    #expect(state.moved == ["a.jpg", "b-2.jpg", "b.jpg", "half.jpg", "unreadable"], "\(state)")
    #expect(state.rows == ["a.jpg", "b.jpg", "b.jpg", "half.jpg"] && state.left.count == 4, "\(state)")
    #expect(try bench.saved() == ["a.jpg", "b.jpg", "half.jpg"])
  }

  /// The spreadsheet has what `scan --output` writes for the same photos.
  @Test(arguments: [false, true]) func writesFieldsAndEverySerial(usesServer: Bool) throws {
    let bench = try Bench()
    try bench.put("a.jpg")
    let pictures = ["etched_clean_1.jpg", "etched_clean_2.jpg"].map {
      LabelledPicture.generated.appendingPathComponent($0).path
    }
    // Both in one picture, below each other.
    _ = try CrashTests.output(
      of: "/usr/bin/env",
      [
        "ffmpeg", "-nostdin", "-loglevel", "error", "-i", pictures[0], "-i", pictures[1], "-filter_complex",
        "[0]pad=1000:ih:0:0:white[a];[1]pad=1000:ih:0:0:white[b];[a][b]vstack",
        bench.folder.appendingPathComponent("two.png").path,
      ])
    let all = ["--set", "reading.multiple=true"]
    let scanned = bench.root.appendingPathComponent("scanned.csv")
    _ = try RunningServer.run(["scan", bench.folder.path, "--output", scanned.path] + all)
    let server = usesServer ? try RunningServer(settings: ["reading.multiple=true"]) : nil
    let place =
      server.map { ["--server", $0.address, "--data", bench.data.path] } ?? ["--data", bench.data.path]
    let run = try RunningServer.run(bench.arguments() + ["--once"] + place + all)
    #expect(run.status == 0, "\(run)")
    /// Serials with model numbers; the order of the photos differs.
    func read(_ file: URL) throws -> [String] {
      try String(contentsOf: file, encoding: .utf8).split(separator: "\r\n").dropFirst().map { row in
        let cells = row.split(separator: ",", omittingEmptySubsequences: false)
        return "\(cells[2]) \(cells.suffix(5).joined(separator: ","))"
      }.sorted()
    }
    let rows = try read(bench.sheet)
    #expect(try rows == read(scanned) && rows.count == 3, "\(rows)")
    #expect(rows.contains { $0.hasPrefix("G0NKP62BLGMZ A1993") }, "\(rows)")
  }

  @Test func listAndDataFolderArePrivate() throws {
    let bench = try Bench()
    try bench.put("a.jpg")
    #expect(try RunningServer.run(bench.arguments("--data", bench.data.path, "--once")).status == 0)
    for file in [bench.data, bench.data.appendingPathComponent("watch")] {
      let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
      #expect(mode?.intValue == 0o700, "\(file.path)")
    }
    let mode = try FileManager.default.attributesOfItem(atPath: bench.done.path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o755)
  }

  @Test func reportsWhatIsWrongWithUnreadableFiles() throws {
    let bench = try Bench()
    try Data(Bench.bytes("etched_clean_1").prefix(10)).write(to: bench.folder.appendingPathComponent("cut.jpg"))
    try Data("GIF89a".utf8).write(to: bench.folder.appendingPathComponent("a.gif"))
    let run = try RunningServer.run(bench.arguments("--data", bench.data.path, "--once"))
    #expect(run.output.contains("cut.jpg  unreadable: The picture is damaged: "), "\(run)")
    #expect(run.output.contains("a.gif  unreadable: This looks like GIF. Send a JPEG"), "\(run)")
  }

  @Test func rereadsChangedPhotosWithoutDoneFolder() throws {
    let bench = try Bench()
    try bench.put("a.jpg")
    try Data("hello".utf8).write(to: bench.folder.appendingPathComponent("notes.txt"))
    let arguments = ["watch", bench.folder.path, "--data", bench.data.path, "--settle", "0.3", "--once"]
    #expect(try RunningServer.run(arguments).output.contains("notes.txt  unreadable"))
    let again = try RunningServer.run(arguments)
    #expect(again.status == 0 && !again.output.contains(".jpg") && !again.output.contains("notes"), "\(again)")
    try Bench.bytes("etched_clean_2").write(to: bench.folder.appendingPathComponent("a.jpg"))
    #expect(try RunningServer.run(arguments).output.contains("a.jpg  FK1CRVYNLFK3"))
    #expect(Bench.names(bench.folder) == ["a.jpg", "notes.txt"])
  }

  @Test func rejectsWatchedFolderAsDoneFolder() throws {
    let bench = try Bench()
    try bench.put("a.jpg")
    let link = bench.root.appendingPathComponent("link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: bench.folder.path)
    for done in [bench.folder.path, link] {
      let run = try RunningServer.run(
        ["watch", bench.folder.path, "--done", done, "--data", bench.data.path, "--settle", "0.3", "--once"])
      #expect(run.status == 1 && run.errors.contains("is the watched folder itself"), "\(run)")
    }
    #expect(Bench.names(bench.folder) == ["a.jpg"])
  }

  /// Files that the watch writes into the folder are not photos.
  @Test func keepsSpreadsheetAndJournalInWatchedFolder() throws {
    let bench = try Bench()
    try bench.put("a.jpg")
    let (sheet, list) = (bench.folder.path + "/rows.xlsx", bench.folder.path + "/list")
    let arguments = [
      "watch", bench.folder.path, "--done", bench.done.path, "--data", bench.data.path, "--settle", "0.3", "--once",
      "--output", sheet, "--journal", list,
    ]
    for _ in 1...2 { #expect(try RunningServer.run(arguments).status == 0) }
    #expect(Bench.names(bench.folder) == ["list", "rows.xlsx"] && Bench.names(bench.done) == ["a.jpg"])
  }

  /// The program is killed at a step, and the next start continues. Each photo has one row, one saved serial and one file.
  @Test(arguments: WatchPoint.allCases) func killAtAnyStepLosesAndRepeatsNothing(point: WatchPoint) throws {
    // Folders on different file systems need a copy.
    let memory = URL(fileURLWithPath: "/dev/shm/serialscan-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: memory) }
    let bench = try Bench(done: point == .watchCopying ? memory : nil)
    for number in 1...2 { try bench.put("\(number).jpg") }
    let arguments = bench.arguments("--data", bench.data.path, "--once")
    let killed = try Self.runFaulty(arguments, at: point)
    #expect(killed.contains("fault: \(point.rawValue)"), "\(killed)")
    let rest = try RunningServer.run(arguments)
    #expect(rest.status == 0, "\(rest)")
    let state = try bench.state()
    #expect(state.left.isEmpty && state.moved == ["1.jpg", "2.jpg"] && state.rows == ["1.jpg", "2.jpg"], "\(state)")
    #expect(try bench.saved() == ["1.jpg", "2.jpg"])
  }

  @Test func rejectedKeyNamesOptionAndVariable() async throws {
    let server = try RunningServer()
    let added = try RunningServer.run(["keys", "add", "me", "--scopes", "admin", "--data", server.data.path])
    #expect(added.status == 0)
    #expect(try await CrashTests.eventually { try await server.get("/jobs").status == 401 })
    let bench = try Bench()
    try bench.put("a.jpg")
    let run = try RunningServer.run(
      bench.arguments("--server", server.address, "--data", bench.data.path, "--once"))
    #expect(run.errors.contains("Set it with --key or the environment variable SERIALSCAN_API_KEY."), "\(run)")
    #expect(run.status == 1 && !run.errors.contains("Bearer"))
  }

  /// The same with a server, which has as many jobs as there are photos.
  @Test(arguments: [WatchPoint.watchTaken, .watchSubmitted, .watchAnswered, .watchRecorded, .watchNamed])
  func sendsEachPhotoToServerOnce(point: WatchPoint) async throws {
    let server = try RunningServer()
    let bench = try Bench()
    for number in 1...2 { try bench.put("\(number).jpg") }
    let arguments = bench.arguments("--server", server.address, "--data", bench.data.path, "--once")
    _ = try Self.runFaulty(arguments, at: point)
    let rest = try RunningServer.run(arguments)
    #expect(rest.status == 0, "\(rest)")
    let state = try bench.state()
    #expect(state.left.isEmpty && state.moved == ["1.jpg", "2.jpg"] && state.rows == ["1.jpg", "2.jpg"], "\(state)")
    let client = SerialScanClient(baseURL: try #require(URL(string: server.address)))
    var saved: [String] = []
    for try await item in client.history() { saved.append(item.filename ?? "") }
    #expect(saved.sorted() == ["1.jpg", "2.jpg"])
  }

  /// A watch that was killed after it handed a photo over continues through the other way to the same store.
  @Test(.enabled(if: !TestStore.isShared), arguments: [false, true])
  func continuesThroughServerOrStore(isServerFirst: Bool) throws {
    let bench = try Bench()
    try bench.put("1.jpg")
    let options = ["--preset", "etched", "--device-type", "MacBook Pro", "--set", "reading.multiple=true", "--once"]
    let own = bench.arguments("--data", bench.data.path) + options
    func through(_ server: RunningServer) -> [String] {
      bench.arguments("--server", server.address, "--data", bench.data.path) + options
    }
    func start() throws -> RunningServer {
      try RunningServer(data: bench.data, settings: ["reading.multiple=true"])
    }
    if isServerFirst {
      let server = try start()
      _ = try Self.runFaulty(through(server), at: .watchSubmitted)
      server.stop()
    } else {
      _ = try Self.runFaulty(own, at: .watchSubmitted)
    }
    let server = isServerFirst ? nil : try start()
    let rest = try RunningServer.run(server.map(through) ?? own)
    #expect(rest.status == 0, "\(rest)")
    let state = try bench.state()
    #expect(state.left.isEmpty && state.moved == ["1.jpg"] && state.rows == ["1.jpg"], "\(state)")
    server?.stop()
    #expect(try CrashTests.sqlite(bench.data, "SELECT count(*), count(photo_hash) FROM jobs") == "1|1")
  }

  @Test func reportsUnusableDataFolderBesideServer() throws {
    let bench = try Bench()
    let file = bench.root.appendingPathComponent("file")
    try Data().write(to: file)
    let arguments = bench.arguments("--server", "http://localhost:1", "--data", file.path, "--once")
    let run = try RunningServer.run(arguments)
    #expect(
      run.status == 1 && run.errors.contains("the data folder \(file.path) can't be used: it is a file.")
        && run.errors.contains("with --data") && !run.errors.contains("journal"), "\(run)")
  }

  @Test func reportsUnusableStoreWithItsOwnPath() throws {
    let bench = try Bench()
    let file = bench.root.appendingPathComponent("serialscan.sqlite")
    try Data("damaged".utf8).write(to: file)
    let run = try RunningServer.run(bench.arguments("--data", file.path, "--once"))
    #expect(
      run.status == 1 && run.errors.contains("the data folder \(file.path) can't be used: it is a file.")
        && run.errors.contains("with --data") && !run.errors.contains("journal"), "\(run)")
    let folder = try RunningServer.run(bench.arguments("--data", bench.root.path, "--once"))
    #expect(folder.status == 1 && folder.errors.contains("serialscan: \(file.path) is damaged: "), "\(folder)")
  }

  @Test func readsPhotoOnceItsWriterClosesIt() async throws {
    let bench = try Bench()
    let watch = try Running(bench.arguments("--data", bench.data.path))
    try await watch.says("watching")
    let photo = try Bench.bytes("etched_clean_1")
    let file = bench.folder.appendingPathComponent("slow.jpg")
    FileManager.default.createFile(atPath: file.path, contents: nil)
    let writer = try FileHandle(forWritingTo: file)
    try writer.write(contentsOf: photo.prefix(9000))
    try await Task.sleep(for: .seconds(2))
    try bench.put("other.jpg")
    try await watch.says("other.jpg  G0NKP62BLGMZ")
    #expect(Bench.names(bench.folder) == ["slow.jpg"])
    try writer.write(contentsOf: photo.dropFirst(9000))
    try writer.close()
    try await watch.says("slow.jpg  G0NKP62BLGMZ")
    #expect(watch.stop(SIGINT) == 0)
    #expect(try bench.state().moved == ["other.jpg", "slow.jpg"])
  }

  @Test func reportsMissingFolderAndRetries() async throws {
    let bench = try Bench()
    let watch = try Running(bench.arguments("--data", bench.data.path, "--poll", "0.5"))
    try await watch.says("watching")
    let (folder, away) = (bench.folder.path, bench.root.appendingPathComponent("away").path)
    try FileManager.default.moveItem(atPath: folder, toPath: away)
    try await watch.says("can't be listed")
    try FileManager.default.moveItem(atPath: away, toPath: folder)
    try await watch.says("is available again")
    try FileManager.default.moveItem(at: bench.done, to: bench.root.appendingPathComponent("elsewhere"))
    try bench.put("a.jpg")
    try await watch.says("a.jpg  G0NKP62BLGMZ")
    try await watch.says("\(bench.done.path) is gone")
    #expect(Bench.names(bench.folder) == ["a.jpg"])
    try FileManager.default.moveItem(at: bench.root.appendingPathComponent("elsewhere"), to: bench.done)
    try await watch.says("reading photos again")
    #expect(watch.stop(SIGTERM) == 0)
    let state = try bench.state()
    #expect(state.left.isEmpty && state.moved == ["a.jpg"] && state.rows == ["a.jpg"], "\(state)")
  }

  @Test(.enabled(if: DiskTests.SmallDisk.canMount, "skipped: no right to mount a file system"))
  func reportsFullDiskAndRetries() async throws {
    let disk = try #require(DiskTests.SmallDisk(megabytes: 1))
    let bench = try Bench(done: disk.folder.appendingPathComponent("done"))
    let filler = disk.folder.appendingPathComponent("filler")
    let watch = try Running(bench.arguments("--data", bench.data.path))
    try await watch.says("watching")
    _ = try DiskTests.SmallDisk.run("dd", ["if=/dev/zero", "of=\(filler.path)", "bs=4096", "status=none"])
    try bench.put("a.jpg")
    try await watch.says("is full")
    #expect(Bench.names(bench.folder) == ["a.jpg"])
    try FileManager.default.removeItem(at: filler)
    try await watch.says("reading photos again")
    #expect(watch.stop(SIGTERM) == 0)
    let state = try bench.state()
    #expect(state.left.isEmpty && state.moved == ["a.jpg"] && state.rows == ["a.jpg"], "\(state)")
  }

  @Test func reportsNamesThatAreNotUTF8() throws {
    let bench = try Bench()
    // As archives of other systems contain it.
    let path = Array("\(bench.folder.path)/B".utf8) + [0xFC] + Array("ro.jpg".utf8) + [0]
    let file = Glibc.open(path.map { CChar(bitPattern: $0) }, O_CREAT | O_WRONLY, 0o600)
    #expect(file >= 0)
    close(file)
    let watch = try RunningServer.run(bench.arguments("--data", bench.data.path, "--once"))
    let name = "\(bench.folder.path)/B\u{FFFD}ro.jpg"
    #expect(
      watch.status == 1 && watch.errors.contains("\(name) is not read, because its name is not UTF-8"), "\(watch)")
    #expect(watch.errors.contains("not done: B\u{FFFD}ro.jpg"), "\(watch)")
    let scan = try RunningServer.run(["scan", bench.folder.path])
    #expect(scan.status == 2 && scan.errors.contains("ro.jpg: Its name is not UTF-8. Rename it."), "\(scan)")
  }

  @Test func rejectsSecondWatchAndStoreInUse() async throws {
    let bench = try Bench()
    let watch = try Running(bench.arguments("--data", bench.data.path))
    try await watch.says("watching")
    let second = try RunningServer.run(bench.arguments("--data", bench.data.path, "--once"))
    #expect(second.status == 1 && second.errors.contains("Another `serialscan watch` uses"), "\(second)")
    let other = try RunningServer.run(["watch", bench.root.path, "--data", bench.data.path, "--once"])
    #expect(other.status == 1 && other.errors.contains("--server http://localhost:8000"), "\(other)")
    #expect(watch.stop(SIGTERM) == 0)
  }

  @Test func dropsTruncatedJournalLineAndRejectsDamagedJournal() throws {
    let bench = try Bench()
    let journal = bench.root.appendingPathComponent("list")
    let arguments = bench.arguments("--data", bench.data.path, "--once", "--journal", journal.path)
    try bench.put("a.jpg")
    #expect(try RunningServer.run(arguments).status == 0)
    let whole = try Data(contentsOf: journal)
    try (whole + whole.prefix(40)).write(to: journal)
    try bench.put("b.jpg")
    #expect(try RunningServer.run(arguments).status == 0)
    #expect(try bench.state().rows == ["a.jpg", "b.jpg"])
    try (whole.prefix(40) + Data("\n".utf8) + whole).write(to: journal)
    let refused = try RunningServer.run(arguments)
    #expect(refused.status == 1 && refused.errors.contains("is damaged at byte 0"), "\(refused)")
  }

  /// Runs the program with a fault that kills it; returns its output.
  private static func runFaulty(_ arguments: [String], at point: WatchPoint) throws -> String {
    let process = Process()
    process.executableURL = RunningServer.faultyExecutable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging([
      "SERIALSCAN_FAULT": "\(point.rawValue):1:server"
    ]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = ServerLog(output.fileHandleForReading).waitForEnd()
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal, "\(text)")
    return text
  }

  /// A running `serialscan watch`.
  final class Running: @unchecked Sendable {
    private let process = Process()
    private let log: ServerLog

    init(_ arguments: [String]) throws {
      process.executableURL = RunningServer.executable
      process.arguments = arguments
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      try process.run()
      log = ServerLog(output.fileHandleForReading)
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Waits until its output contains a text.
    func says(_ text: String) async throws {
      let hasSaid = try await CrashTests.eventually { self.log.text.contains(text) }
      #expect(hasSaid, "no \"\(text)\" in: \(log.text)")
    }

    func stop(_ signal: Int32) -> Int32 {
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      return process.terminationStatus
    }
  }
}

import ArgumentParser
import Evaluations
import Exports
import Foundation
import HTTPAPI
import JobStore
import ScanModel
import SerialReading
import Settings
import Support

/// `serialscan scan FOLDER|FILES|-`: scans image files without a server.
struct ScanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan", abstract: "Scan image files without a server.",
    discussion: """
      Skips hidden files and folders in folders, whose names begin with a dot.

      Exit status: 0 if every picture has an accepted serial, 1 if one needs review, 2 if one has no serial or can't be \
      read, 64 if the command line is wrong.

      Examples:
        serialscan scan photo.jpg
        serialscan scan photos/ --output serials.xlsx
        serialscan scan photos/ --output serials.csv --skip-done
        serialscan scan photos/*.heic --save --data ./data
        serialscan scan shelf.jpg --all
        serialscan scan photo.jpg --explain how.html
        curl -s https://example.com/photo.jpg | serialscan scan - --json
      """)

  @Argument(
    help: "Pictures (JPEG, PNG, WebP, TIFF or HEIC), folders of pictures, or - for standard input.",
    completion: .file(), transform: notEmpty)
  var files: [String]

  @Flag(name: .customLong("no-recursive"), help: "Skip subfolders.")
  var leavesFolders = false

  @Option(help: "etched, screen or sticker (default: auto-detect).")
  var preset: Preset?

  @Option(
    help: "Read only this region: x0,y0,x1,y1 as fractions (0 to 1) of the upright picture's width and height.")
  var region: PhotoPart?

  @Flag(help: "Read all serials in a picture, one row each, instead of the device's one.")
  var all = false

  @Flag(help: "Print one JSON object per picture, as GET /result returns, instead of a table.")
  var json = false

  @Option(
    help: "Write a spreadsheet with one row per picture: FILE.xlsx, or FILE.csv, which grows with each picture.",
    completion: .file(extensions: ["xlsx", "csv"]), transform: notEmpty)
  var output: String?

  @Flag(help: "Skip pictures that were read into --output FILE.csv before, and append the others to it.")
  var skipDone = false

  @Flag(
    help:
      "Save accepted serials in the database in --data (created if missing). A photo's serial is saved once."
  )
  var save = false

  @Option(
    help: "Write the picture with the reads drawn in: FILE.png for one picture, or a folder for a PNG of each.",
    completion: .file(extensions: ["png"]), transform: notEmpty)
  var annotate: String?

  @Option(
    help: "Write a page that shows how the one picture was read: FILE.html.", completion: .file(extensions: ["html"]),
    transform: notEmpty)
  var explain: String?

  @Option(parsing: .unconditional, help: "Pictures read at the same time (default: one per core).")
  var workers: String?

  @OptionGroup var options: StoreOptions

  func validate() throws {
    if let output, format(of: output) == nil {
      throw ValidationError("--output must end in .xlsx or .csv (got \"\(printable(output))\")")
    }
    guard !skipDone || output.map({ format(of: $0) == .csv }) ?? false else {
      throw ValidationError("--skip-done continues a CSV file: add --output FILE.csv")
    }
    if let explain, !explain.lowercased().hasSuffix(".html") {
      throw ValidationError("--explain must end in .html (got \"\(printable(explain))\")")
    }
    // A mistyped extension instead of .png must not create a folder.
    if let annotate, ["jpg", "jpeg", "webp", "tif", "tiff", "heic", "heif"].contains(Drawings.ending(of: annotate)) {
      throw ValidationError("--annotate must be a .png file or a folder (got \"\(printable(annotate))\")")
    }
  }

  /// The exit status of a program interrupted by SIGINT.
  private static let interrupted = ExitCode(130)

  func run() async throws {
    let settings = try options.load([("workers", workers)])
    let plan = try plan()
    let pictures = plan.pictures
    let store = save ? try await options.openOrMakeStore() : nil
    let run = PictureRun(count: pictures.count, readers: max(1, settings.workers), settings: settings) {
      index, reader in
      read(pictures[index], with: reader, settings)
    }
    let sheet = output.flatMap { path in
      format(of: path).map { ScanSheet(path: path, $0, after: plan.earlier, reading: pictures) }
    }
    let table = ScanTable()
    var tally = ScanTally()
    (tally.leftOut, tally.done) = (plan.input.leftOut, plan.input.pictures.count - pictures.count)
    if !json { try StandardOutput.shared.print(table.header) }
    // Ctrl-C and a closed terminal stop reading; the results so far are written and counted. A second Ctrl-C ends the
    // program at once.
    let isInterrupted = Locked(false)
    let signals = StopSignals(hangups: true) { count in
      if count > 1 { ProgramEnd.with(Self.interrupted) }
      isInterrupted.withLock { $0 = true }
    }
    defer { signals.cancel() }
    var failure: (any Error)?
    do {
      for (index, picture) in pictures.enumerated() where !isInterrupted.withLock({ $0 }) {
        guard let outcome = run.outcome(at: index) else {
          throw CleanExit.failure("the reader could not be started; `serialscan doctor` finds the cause")
        }
        try writePages(of: outcome, plan.drawings, at: plan.numbers[index])
        let isSaved = try await save(outcome, of: picture, in: store)
        // Last, because a picture with a row counts as done.
        try sheet?.add(picture, outcome.reading)
        tally.add(outcome.reading)
        try run.printing { try print(outcome.reading, of: picture, in: table, isSaved: isSaved) }
      }
    } catch {
      failure = error
    }
    try? await store?.close()
    if tally.pictures < pictures.count { tally.planned = pictures.count }
    // What was read is kept, whatever ended the run.
    if let failure {
      try? sheet?.finish(remark: tally.interruption)
      throw failure
    }
    try sheet?.finish(remark: tally.interruption)
    if !json { try StandardOutput.shared.print(tally.sentence) }
    if isInterrupted.withLock({ $0 }) { throw Self.interrupted }
    if tally.status != 0 { throw ExitCode(tally.status) }
  }

  /// The pictures to read, and what is known of their outputs before the first is read.
  private struct Plan {
    var input: ScanInput
    var drawings: Drawings?
    var earlier: EarlierRows?
    /// The numbers of the pictures that have no row of an earlier run, counted among all of the input.
    var numbers: [Int]

    var pictures: [ScanInput.Picture] { numbers.map { input.pictures[$0] } }
  }

  /// Finds the pictures, and ends the program if there is none or an output can't be written.
  private func plan() throws -> Plan {
    let input = ScanInput(files, isRecursive: !leavesFolders)
    guard !input.pictures.isEmpty else {
      let names = files.map { printable($0) }.joined(separator: ", ")
      _ = CleanExit.failure((["there is no picture in \(names)"] + input.leftOut).joined(separator: "; "))
      throw ExitCode(ScanTally.nothingFound)
    }
    if let explain, input.pictures.count > 1 {
      throw ValidationError("--explain \(printable(explain)) explains one picture (got \(input.pictures.count))")
    }
    let drawings = try annotate.map { try Drawings(at: $0, of: input.pictures) }
    try sparePictures(of: input, drawings)
    try checkOutputs()
    try drawings?.makeFolders()
    let earlier = try earlierRows()
    let numbers = input.pictures.indices.filter { index in
      input.pictures[index].path.map { !(earlier?.contains($0) ?? false) } ?? true
    }
    return Plan(input: input, drawings: drawings, earlier: earlier, numbers: numbers)
  }

  /// The result of a picture, and the digest of its bytes if its serial may be saved.
  private struct Outcome: Sendable {
    var answer: Result<ReadAnswer, ReadFailure>
    var digest: String?

    var reading: Result<Reading, ReadFailure> { answer.map(\.reading) }
  }

  private func read(_ picture: ScanInput.Picture, with reader: SerialReader, _ settings: Settings) -> Outcome {
    var request = settings.readRequest
    (request.preset, request.part) = (preset, region)
    request.wantsAnnotation = annotate != nil
    request.wantsEverySerial = all || settings.reading.multiple
    request.explainedAs = explain.map { _ in picture.name }
    var digest: String?
    let answer = Result { () throws(ReadFailure) in
      let bytes = try ScanInput.bytes(of: picture, limit: settings.upload.maxBytes)
      if save { digest = SHA256.hexadecimal(bytes) }
      return try reader.read(bytes, request)
    }
    return Outcome(answer: answer, digest: digest)
  }

  /// Writes what was asked for beside the result: the picture with its reads drawn in, and how it was read.
  private func writePages(of outcome: Outcome, _ drawings: Drawings?, at number: Int) throws {
    guard let answer = try? outcome.answer.get() else { return }
    if let drawings, let drawn = answer.annotation { try drawings.write(drawn, at: number) }
    if let explain, let page = answer.explanation { try OutputFile.write(page, to: explain) }
  }

  /// Saves the accepted serials of a picture; returns whether there were any.
  private func save(
    _ outcome: Outcome, of picture: ScanInput.Picture, in store: (any ServerStore)?
  ) async throws -> Bool {
    guard let store else { return false }
    let serials = NewSerial.accepted(name: printable(picture.name), outcome.reading, photo: outcome.digest)
    for serial in serials { _ = try await store.save(serial) }
    return !serials.isEmpty
  }

  /// Prints the result of a picture, and first why it could not be read.
  private func print(
    _ result: Result<Reading, ReadFailure>, of picture: ScanInput.Picture, in table: ScanTable, isSaved: Bool
  ) throws {
    if case .failure(let failure) = result { _ = CleanExit.failure("\(picture.name): \(failure.detail)") }
    try StandardOutput.shared.print(
      json ? try job(picture, result, isSaved: isSaved).resultJSON() : table.row(picture.name, result))
  }

  /// Ends the program with a usage error if an output would replace a picture that is read.
  private func sparePictures(of input: ScanInput, _ drawings: Drawings?) throws {
    let inputs = InputFiles(
      input.pictures.map { $0.path ?? InputFiles.standardInput } + [options.overrides.config].compactMap(\.self))
    try inputs.protect(from: output, of: "--output")
    try inputs.protect(from: explain, of: "--explain")
    try drawings?.spare(inputs)
  }

  /// Returns the rows written by an earlier run that this one continues.
  private func earlierRows() throws -> EarlierRows? {
    guard skipDone, let output, FileManager.default.fileExists(atPath: output) else { return nil }
    do throws(ExportError) {
      return try EarlierRows(csvAt: output)
    } catch {
      throw CleanExit.failure(
        "\(error.description) --skip-done continues a file that `serialscan scan --output FILE.csv` wrote.")
    }
  }

  /// Creates the job that a server would have created for a picture.
  private func job(_ picture: ScanInput.Picture, _ result: Result<Reading, ReadFailure>, isSaved: Bool) -> Job {
    let end =
      switch result {
      case .success(let reading): JobEnd(.read(reading, save: isSaved))
      case .failure(let failure): JobEnd(.failed(JobError(code: ErrorCode(failure.code), detail: failure.detail)))
      }
    let now = Date()
    return Job(
      id: UUID().uuidString.lowercased(), state: end.state, progress: 100, message: end.message, priority: 0,
      attempts: 1,
      createdAt: now, updatedAt: now,
      request: JobRequest(
        photo: "", photoBytes: 0, preset: preset, deviceType: nil, persist: save, filename: printable(picture.name),
        part: region, everySerial: all),
      reading: end.reading, error: end.error, savedToDatabase: isSaved)
  }

  /// Checks before the first picture, rather than after a thousand, that the files can be written.
  private func checkOutputs() throws {
    try OutputFile.check(output)
    try OutputFile.check(explain)
  }

  private func format(of path: String) -> SerialExport.Format? {
    SerialExport.Format(rawValue: URL(fileURLWithPath: path).pathExtension.lowercased())
  }
}

extension ScanTable {
  /// Returns the rows of a picture, read or not.
  fileprivate func row(_ name: String, _ result: Result<Reading, ReadFailure>) -> String {
    switch result {
    case .success(let reading): rows(name, reading)
    case .failure: unreadable(name)
    }
  }
}

extension Preset: ExpressibleByArgument {}

extension PhotoPart: ExpressibleByArgument {}

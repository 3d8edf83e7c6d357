import ArgumentParser
import Foundation
import HTTPAPI
import JobStore
import Locking
import ReaderProtocol
import Reports
import SerialReading
import Settings
import StandardStreams

/// `serialscan scan FOLDER|FILES|-`: reads pictures without a server.
struct ScanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan", abstract: "Read pictures without a server.",
    discussion: """
      Ends with status 0 where every picture gave a serial that is accepted, 1 where one is to be checked, 2 where one \
      gave none or can't be read, and 64 where the command line is wrong.

      Examples:
        serialscan scan photo.jpg
        serialscan scan photos/ --output serials.xlsx
        serialscan scan photos/*.heic --save --data ./data
        serialscan scan shelf.jpg --all
        curl -s https://example.com/photo.jpg | serialscan scan - --json
      """)

  @Argument(
    help: "The pictures (JPEG, PNG, WebP, TIFF or HEIC), folders of them, or - for one by standard input.",
    completion: .file())
  var files: [String]

  @Option(help: "etched, screen or sticker; without it the picture decides.")
  var preset: Preset?

  @Option(
    help: "Read only this part: x0,y0,x1,y1 in shares (0 to 1) of the upright picture's width and height.")
  var region: PhotoPart?

  @Flag(help: "Read every serial of a picture, each in a row of its own, not only the device's one.")
  var all = false

  @Flag(help: "One JSON object a picture, as GET /result answers, instead of a table.")
  var json = false

  @Option(
    help: "Write a spreadsheet with a row a picture: FILE.xlsx or FILE.csv.",
    completion: .file(extensions: ["xlsx", "csv"]))
  var output: String?

  @Flag(help: "Save accepted serials in the database of --data, which is made where there is none.")
  var save = false

  @Option(
    help: "Write a PNG with the reads drawn into the picture (one FILE only).",
    completion: .file(extensions: ["png"]))
  var annotate: String?

  @OptionGroup var options: SettingsOptions

  func validate() throws {
    if annotate != nil && files.count > 1 { throw ValidationError("--annotate draws one picture; give one FILE") }
    if let output, format(of: output) == nil {
      throw ValidationError("--output ends in .xlsx or .csv, not \"\(output)\"")
    }
  }

  /// The status of a program that SIGINT ends.
  private static let interrupted: Int32 = 130

  func run() async throws {
    let settings = try options.load()
    let pictures = try ScanInput.pictures(files)
    guard !pictures.isEmpty else {
      StandardError.shared.write("serialscan: there is no picture in \(files.joined(separator: ", "))\n")
      throw ExitCode(ScanTally.nothingFound)
    }
    try checkOutput()
    let store = save ? try await options.openOrMakeStore() : nil
    let run = PictureRun(count: pictures.count, readers: settings.workers, settings: settings) { index, reader in
      read(pictures[index], with: reader, settings)
    }
    let table = ScanTable()
    var tally = ScanTally()
    var rows: [SavedSerial] = []
    if !json { print(table.header) }
    // What was read until Ctrl-C is written and counted; a second one ends the program at once.
    let isInterrupted = Locked(false)
    let signals = StopSignals { count in
      if count > 1 { Foundation.exit(Self.interrupted) }
      isInterrupted.withLock { $0 = true }
    }
    defer { signals.cancel() }
    for (index, picture) in pictures.enumerated() where !isInterrupted.withLock({ $0 }) {
      guard let answer = run.outcome(at: index) else { throw CleanExit.stop("the reader could not start") }
      if let annotate, let drawn = try? answer.get().annotation { try Self.write(drawn, to: annotate) }
      let result = answer.map(\.reading)
      tally.add(result)
      if output != nil { rows += SavedSerial.rows(after: rows.count, name: picture.name, result) }
      var isSaved = false
      if let store {
        for serial in NewSerial.accepted(name: picture.name, result) {
          _ = try await store.save(serial)
          isSaved = true
        }
      }
      try run.printing {
        print(json ? try job(picture, result, isSaved: isSaved).resultJSON() : table.row(picture.name, result))
      }
    }
    if let output { try write(rows, to: output) }
    if !json { print(tally.sentence) }
    if isInterrupted.withLock({ $0 }) { throw ExitCode(Self.interrupted) }
    if tally.status != 0 { throw ExitCode(tally.status) }
  }

  private func read(
    _ picture: ScanInput.Picture, with reader: SerialReader, _ settings: Settings
  ) -> Result<ReadAnswer, ReadFailure> {
    let request = ReadRequest(
      preset: preset, timeBudget: settings.reading.timeBudget, pixelLimit: settings.upload.maxPixels,
      wantsAnnotation: annotate != nil, part: region,
      wantsEverySerial: all || settings.reading.multiple)
    return Result { () throws(ReadFailure) in
      try reader.read(ScanInput.bytes(of: picture, limit: settings.upload.maxBytes), request)
    }
  }

  /// The job that a server would have made of a picture.
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
        photo: "", photoBytes: 0, preset: preset, deviceType: nil, persist: save, filename: picture.name,
        part: region, everySerial: all),
      reading: end.reading, error: end.error, savedToDatabase: isSaved)
  }

  /// Says at once, not after a thousand pictures, that the spreadsheet can't be written.
  private func checkOutput() throws {
    guard let output else { return }
    let folder = URL(fileURLWithPath: output).deletingLastPathComponent().path
    guard FileManager.default.isWritableFile(atPath: folder) else {
      throw CleanExit.stop("\(output) can't be written: there is no folder \(folder) that may be written to")
    }
  }

  private func format(of path: String) -> SerialExport.Format? {
    SerialExport.Format(rawValue: URL(fileURLWithPath: path).pathExtension.lowercased())
  }

  private func write(_ rows: [SavedSerial], to path: String) throws {
    guard let format = format(of: path) else { return }
    do {
      try SerialExport(format: format).write(rows, to: path)
    } catch let error as ExportError {
      throw CleanExit.stop(error.description)
    }
  }

  private static func write(_ picture: [UInt8], to path: String) throws {
    do {
      try Data(picture).write(to: URL(fileURLWithPath: path))
    } catch {
      throw CleanExit.stop("\(path) can't be written: \(error.localizedDescription)")
    }
  }
}

extension ScanTable {
  /// The rows of a picture, whatever came of it.
  fileprivate func row(_ name: String, _ result: Result<Reading, ReadFailure>) -> String {
    switch result {
    case .success(let reading): rows(name, reading)
    case .failure(let failure): row(name, failure)
    }
  }
}

extension Preset: ExpressibleByArgument {}

extension PhotoPart: ExpressibleByArgument {}

import ArgumentParser
import Foundation
import ReaderProcess
import ReaderProtocol
import SerialReading
import Settings

/// `serialscan scan FILE...`: reads pictures without a server.
struct ScanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan", abstract: "Read pictures without a server.",
    discussion: "Ends with status 0 where every picture gave a serial, 1 where one did not, 2 where one can't be read.")

  @Argument(help: "The pictures: JPEG, PNG, WebP, TIFF or HEIC.")
  var files: [String]

  @Option(help: "etched, screen or sticker; without it the picture decides.")
  var preset: Preset?

  @Flag(help: "One JSON object a picture instead of a table.")
  var json = false

  @Option(help: "Write a PNG with the reads drawn into the picture (one FILE only).")
  var annotate: String?

  @OptionGroup var overrides: SettingOverrides

  func validate() throws {
    if annotate != nil && files.count > 1 { throw ValidationError("--annotate draws one picture; give one FILE") }
  }

  func run() throws {
    let settings = try overrides.load()
    let reader = try makeSerialReader(settings)
    var status: Int32 = 0
    if !json { print(Self.header) }
    for file in files {
      let request = ReadRequest(
        preset: preset, timeBudget: settings.reading.timeBudget, pixelLimit: settings.upload.maxPixels,
        wantsAnnotation: annotate != nil)
      let result = Result { () throws(ReadFailure) in
        try reader.read(PhotoFile(path: file).read(limit: .max), request)
      }
      if let annotate, let picture = try? result.get().annotation {
        try Self.write(picture, to: annotate)
      }
      status = max(status, try report(result.map(\.reading), of: file))
    }
    if status != 0 { throw ExitCode(status) }
  }

  private static func write(_ picture: [UInt8], to path: String) throws {
    do {
      try Data(picture).write(to: URL(fileURLWithPath: path))
    } catch {
      throw CleanExit.stop("\(path) can't be written: \(error.localizedDescription)")
    }
  }

  /// Prints what came of one picture, and gives the status that it stands for.
  private func report(_ result: Result<Reading, ReadFailure>, of file: String) throws -> Int32 {
    switch result {
    case .success(let reading):
      print(json ? try Self.line(file, reading) : Self.row(file, reading))
      return reading.serials.isEmpty ? 1 : 0
    case .failure(let failure):
      if json {
        print(try Self.line(file, failure))
      } else {
        FileHandle.standardError.write(Data("serialscan: \(file): \(failure.detail)\n".utf8))
      }
      return 2
    }
  }

  private static let header =
    pad("SERIAL", 14) + pad("CONFIDENCE", 12) + pad("VERDICT", 11) + pad("PRESET", 9) + pad("READ BY", 20)
    + pad("TIME", 9)
    + "FILE"

  private static func row(_ file: String, _ reading: Reading) -> String {
    let top = reading.topSerial
    return pad(top?.serial ?? "-", 14) + pad(top.map { String(format: "%.3f", $0.confidence) } ?? "-", 12)
      + pad(reading.verdict.rawValue, 11) + pad(reading.preset.rawValue, 9)
      + pad(top?.method ?? "-", 20) + pad(String(format: "%.2f s", reading.processingTime), 9) + file
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  private static func line(_ file: String, _ reading: Reading) throws -> String {
    struct Line: Encodable {
      var file: String
      var reading: Reading
    }
    return try encoded(Line(file: file, reading: reading))
  }

  private static func line(_ file: String, _ failure: ReadFailure) throws -> String {
    struct Line: Encodable {
      var file: String
      var error: ReadFailure
    }
    return try encoded(Line(file: file, error: failure))
  }

  private static func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

extension Preset: ExpressibleByArgument {}

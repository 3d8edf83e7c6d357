import ArgumentParser
import ReaderProcess
import ReaderProtocol
import SerialReading
import Settings

/// The hidden reader: a child of the server that reads one photo at a time, and dies alone if one kills it.
struct ReaderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reader", abstract: "Read photos for a server, over standard input and output.", shouldDisplay: false)

  @OptionGroup var overrides: SettingOverrides

  func run() throws {
    let settings = try overrides.load()
    var reader: SerialReader?
    ReaderLoop.run {
      reader = try SerialReader(settings)
    } read: { photo, request, progress in
      guard let reader else { throw ReadFailure(.readerUnavailable, "The reader has not started.") }
      return try reader.read(photo, request, progress: progress)
    }
  }
}

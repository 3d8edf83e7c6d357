import Foundation
import ScanModel
import SerialReading
import Settings
import TrackingSessions

/// Reads the serials of a video's objects as a server's session does. Waits for each read, so that a video gives the
/// same result on every machine.
struct TrackedSerials {
  /// The output after the last frame.
  private struct Summary: Encodable {
    var serials: [VotedSerial?]
    var reads: [Read]
  }

  /// One read of an object, from one frame or from several combined.
  private struct Read: Encodable {
    var object: Int
    var frames: [Int]
    var serial: String?
    var confidence: Double
    var verdict: Reading.Verdict
    var doubts: [String]
    var processorTime: Double

    private enum CodingKeys: String, CodingKey {
      case object
      case frames
      case serial
      case confidence
      case verdict
      case doubts
      case processorTime = "processor_time"
    }
  }

  private let reader: SerialReader
  private let settings: Settings
  /// The number of frames between two reads.
  private let interval: Int
  /// The folder to which the views that are read are written; nil to write none.
  private let folder: String?
  private var session: SessionReads
  private var reads: [Read] = []
  private var free = 0

  /// Starts a reader, or ends the program with a message.
  ///
  /// - Parameters:
  ///   - objectCount: The number of objects.
  ///   - interval: The number of frames between two reads.
  ///   - folder: The folder to which the views that are read are written; nil to write none.
  init(_ settings: Settings, objectCount: Int, interval: Int, folder: String?) throws {
    (self.settings, self.interval, self.folder) = (settings, interval, folder)
    reader = try makeSerialReader(settings)
    session = SessionReads(
      objectCount: objectCount, accept: settings.reading.accept, refuse: settings.reading.refuse)
  }

  /// The serial of each object according to the frames so far.
  var serials: [VotedSerial?] { session.serials }

  /// Records a frame, and reads if a read is due.
  mutating func note(_ report: FrameReport, picture: [UInt8], index: Int) {
    session.note(report, picture: picture, index: index)
    guard index >= free, let order = session.next() else { return }
    free = index + interval
    read(order)
  }

  /// Performs the remaining reads and returns the summary as JSON.
  mutating func finish() throws -> String {
    while let order = session.next() { read(order) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return String(decoding: try encoder.encode(Summary(serials: serials, reads: reads)), as: UTF8.self)
  }

  private mutating func read(_ order: SessionReads.Order) {
    let request = ReadRequest(order, settings)
    let reading: Reading?
    do throws(ReadFailure) {
      let view = try SerialReader.view(Array(order.pictures.joined()), request)
      if let folder { try? Data(view).write(to: URL(fileURLWithPath: "\(folder)/\(Self.name(of: order))")) }
      reading = try reader.read(view, request).reading
    } catch {
      // As on a server, a failed read is ignored.
      reading = nil
    }
    session.record(reading, for: order)
    let top = reading?.topSerial ?? reading?.refused?.first
    reads.append(
      Read(
        object: order.object, frames: order.frames, serial: top?.serial, confidence: top?.confidence ?? 0,
        verdict: reading?.verdict ?? .refused, doubts: top?.doubts?.map(\.code) ?? [],
        processorTime: reading?.cpuTime ?? 0))
  }

  private static func name(of order: SessionReads.Order) -> String {
    let frames = order.frames.map(String.init).joined(separator: "-")
    return "\(order.object)-\(frames).png"
  }
}

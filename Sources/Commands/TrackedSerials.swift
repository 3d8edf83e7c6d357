import Foundation
import ScanModel
import SerialReading
import Settings
import TrackingSessions

/// The serials of a video's objects, read as a server's session has them read. Each read is waited for, so that a video says the
/// same on every machine.
struct TrackedSerials {
  /// What is printed behind the last frame.
  private struct Summary: Encodable {
    var serials: [VotedSerial?]
    var reads: [Read]
  }

  /// One read of an object, in one frame or in several together.
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
  /// Frames from one read to the next.
  private let interval: Int
  /// Where the views that are read are written to; nil for nowhere.
  private let folder: String?
  private var session: SessionReads
  private var reads: [Read] = []
  private var free = 0

  /// Starts a reader, or ends the program with a sentence.
  ///
  /// - Parameters:
  ///   - objectCount: How many objects there are.
  ///   - interval: Frames from one read to the next.
  ///   - folder: Where the views that are read are written to; nil for nowhere.
  init(_ settings: Settings, objectCount: Int, interval: Int, folder: String?) throws {
    (self.settings, self.interval, self.folder) = (settings, interval, folder)
    reader = try makeSerialReader(settings)
    session = SessionReads(
      objectCount: objectCount, accept: settings.reading.accept, refuse: settings.reading.refuse)
  }

  /// What the frames say of each object so far.
  var serials: [VotedSerial?] { session.serials }

  /// Takes note of a frame, and reads where it is time for it.
  mutating func note(_ report: FrameReport, picture: [UInt8], index: Int) {
    session.note(report, picture: picture, index: index)
    guard index >= free, let order = session.next() else { return }
    free = index + interval
    read(order)
  }

  /// Reads what is left, and says as JSON what was read.
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
      // As on a server: what can't be read says nothing.
      reading = nil
    }
    session.take(reading, for: order)
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

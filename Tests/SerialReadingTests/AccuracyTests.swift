import Foundation
import ReaderProtocol
import SerialReading
import Settings
import Testing

/// A small part of the accuracy runs (`make accuracy` has all of it): the pictures of `testdata`, no preset given, held to
/// a least number of right reads and a most number of misreads.
@Suite struct AccuracyTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("testdata/pictures")

  @Test func testPicturesAreReadAndNoneIsMisreadWithConfidence() throws {
    let settings = try Settings.load(file: nil, environment: [:])
    let reader = try SerialReader(
      parameters: settings.presets.mapValues(\.parameters),
      thresholds: ReadingThresholds(accept: settings.reading.accept, refuse: settings.reading.refuse),
      secondModel: settings.reading.secondModel)
    let labels = try String(contentsOf: Self.folder.appendingPathComponent("labels.csv"), encoding: .utf8)
      .split(whereSeparator: \.isNewline).dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    var (right, accepted) = (0, 0)
    var misread: [String] = []
    for label in labels {
      let (name, serial) = (String(label[0]), String(label[1]))
      let request = ReadRequest(
        photoPath: Self.folder.appendingPathComponent(name).path, timeBudget: settings.reading.timeBudget,
        pixelLimit: settings.upload.maxPixels)
      let reading = try reader.read(request, progress: { _ in })
      let top = reading.topSerial?.serial ?? ""
      let isAccepted = reading.verdict == .accepted
      if top == serial {
        right += serial.isEmpty ? 0 : 1
        accepted += isAccepted ? 1 : 0
      } else if !top.isEmpty {
        misread.append("\(name): \(serial) read as \(top)")
        #expect(!isAccepted, "\(name): \(top) accepted")
      }
    }
    #expect(labels.count == 40)
    #expect(right >= 33, "right: \(right)")
    #expect(accepted >= 23, "accepted: \(accepted)")
    #expect(misread.count <= 0, "\(misread)")
  }
}

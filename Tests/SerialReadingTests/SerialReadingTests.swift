import Foundation
import ScanModel
import SerialReading
import Testing

// Covers: real etched photos in the folder that SERIALSCAN_PHOTOS names, errors of unreadable
// photos, and a picture without text.

@Suite struct PhotoTests {
  private static let folder = ProcessInfo.processInfo.environment["SERIALSCAN_PHOTOS"]

  @Test(.enabled(if: folder != nil, "skipped: SERIALSCAN_PHOTOS is not set"))
  func readsEveryLabelledEtchedPhoto() throws {
    let folder = try #require(Self.folder)
    let labels = try String(contentsOfFile: folder + "/labels.csv", encoding: .utf8)
    let reader = try makeReader()
    for row in labels.split(whereSeparator: \.isNewline).dropFirst() {
      let fields = row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(fields[0])")))
      let reading = try reader.reading(of: bytes, preset: .etched)
      #expect(reading.topSerial?.serial == fields[1], "\(fields[0])")
      let region = try #require(reading.topSerial?.region)
      for corner in region.corners {
        #expect((-20...Double(reading.photoSize.width) + 20).contains(corner.x))
        #expect((-20...Double(reading.photoSize.height) + 20).contains(corner.y))
      }
    }
  }
}

@Suite struct FailureTests {
  private func failure(reading bytes: [UInt8], pixelLimit: Int = 60_000_000) throws -> ReadFailure? {
    let reader = try makeReader()
    do throws(ReadFailure) {
      _ = try reader.reading(of: bytes, pixelLimit: pixelLimit)
      return nil
    } catch {
      return error
    }
  }

  @Test func eachBadPictureHasItsCode() throws {
    #expect(try failure(reading: Array("no picture".utf8))?.code == .notAPicture)
    #expect(try failure(reading: Array("GIF89a".utf8))?.detail.hasPrefix("This looks like GIF.") == true)
    let png = try #require(blank.png())
    #expect(try failure(reading: Array(png.prefix(png.count / 2)))?.code == .damagedPicture)
    #expect(try failure(reading: png, pixelLimit: 1000)?.code == .tooManyPixels)
  }
}

@Suite struct EmptyTests {
  @Test func refusesBlankPicture() throws {
    let reader = try makeReader()
    var fractions: [Double] = []
    let reading = try reader.reading(
      of: try #require(blank.png()), preset: .etched, progress: { fractions.append($0.fraction) })
    #expect(reading.verdict == .refused && reading.serials.isEmpty && !reading.fallbackUsed)
    #expect(reading.trace.first?.strategy == "text")
    #expect(fractions == fractions.sorted() && fractions.last == 1)
  }
}

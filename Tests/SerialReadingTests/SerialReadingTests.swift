import Foundation
import ScanModel
import SerialReading
import Settings
import Testing

// Covers: the etched reader on real photos (where SERIALSCAN_PHOTOS names their folder), what a photo that can't be read
// says, and a picture without any text.

@Suite("Parameters")
struct ParameterTests {
  @Test("The settings hold every parameter that a preset declares, within its range, and no other")
  func settingsHoldAll() throws {
    let settings = try Settings.load(file: nil, environment: [:])
    for preset in Preset.allCases {
      let declared = PresetParameters.declarations(of: preset)
      let configured = try #require(settings.presets[preset]).parameters
      #expect(Set(declared.map(\.name)) == Set(configured.keys), "\(preset)")
      for declaration in declared {
        let value = try #require(configured[declaration.name], "\(preset) \(declaration.name)")
        #expect(declaration.range.contains(value), "\(preset) \(declaration.name)")
      }
    }
  }
}

@Suite("Photos")
struct PhotoTests {
  private static let folder = ProcessInfo.processInfo.environment["SERIALSCAN_PHOTOS"]

  @Test(
    "Every labelled etched photo is read right",
    .enabled(if: folder != nil, "skipped: SERIALSCAN_PHOTOS names no folder of labelled photos"))
  func labelledPhotos() throws {
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

@Suite("Photos that can't be read")
struct FailureTests {
  private func failure(reading bytes: [UInt8], pixelLimit: Int = 60_000_000) throws -> ReadFailure? {
    let reader = try makeReader()
    do throws(ReadFailure) {
      _ = try reader.reading(of: bytes, pixelLimit: pixelLimit)
      return nil
    } catch {
      return error
    }
  }

  @Test("Each kind of bad picture has its code")
  func codes() throws {
    #expect(try failure(reading: Array("no picture".utf8))?.code == .notAPicture)
    #expect(try failure(reading: Array("GIF89a".utf8))?.detail.hasPrefix("This looks like GIF.") == true)
    let png = try #require(blank.png())
    #expect(try failure(reading: Array(png.prefix(png.count / 2)))?.code == .damagedPicture)
    #expect(try failure(reading: png, pixelLimit: 1000)?.code == .tooManyPixels)
  }
}

@Suite("Pictures without text")
struct EmptyTests {
  @Test("A blank picture is refused, and says which strategies ran")
  func blankPicture() throws {
    let reader = try makeReader()
    var fractions: [Double] = []
    let reading = try reader.reading(
      of: try #require(blank.png()), preset: .etched, progress: { fractions.append($0.fraction) })
    #expect(reading.verdict == .refused && reading.serials.isEmpty && !reading.fallbackUsed)
    #expect(reading.trace.first?.strategy == "text")
    #expect(fractions == fractions.sorted() && fractions.last == 1)
  }
}

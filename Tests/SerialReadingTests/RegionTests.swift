import Foundation
import Imaging
import ScanModel
import SerialReading
import Testing

/// Covers: the region of a serial. It contains all characters, whatever crop of the line was read, and has their height.
@Suite struct RegionTests {
  private static let pictures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../testdata/pictures")

  /// A picture with the drawn place of its serial.
  struct Drawn: Sendable, CustomTestStringConvertible {
    var name, serial: String
    var corners: [PixelPoint]
    var testDescription: String { name }
  }

  /// All pictures with a serial, except curved print, whose labelled place is its arc, and rotated pictures, whose labelled
  /// place is that in the upright picture.
  static let drawn = labelled.filter { !$0.name.hasPrefix("round_") && !$0.name.hasPrefix("exif_") }

  /// All pictures whose serial has a region.
  static let labelled: [Drawn] = {
    let labels = (try? String(contentsOf: pictures.appendingPathComponent("labels.csv"), encoding: .utf8)) ?? ""
    return labels.split(separator: "\n").dropFirst().compactMap { row in
      let fields = row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      let numbers = fields.last?.split(separator: ";").compactMap { Double($0) } ?? []
      guard numbers.count == 8 else { return nil }
      return Drawn(
        name: fields[0], serial: fields[1],
        corners: (0..<4).map { PixelPoint(x: numbers[2 * $0], y: numbers[2 * $0 + 1]) })
    }
  }()

  @Test(arguments: drawn)
  func regionHoldsAllCharactersAndCapitalHeight(picture: Drawn) throws {
    let bytes = Array(try Data(contentsOf: Self.pictures.appendingPathComponent(picture.name)))
    let reading = try makeReader().reading(of: bytes)
    let read = try #require(reading.topSerial)
    #expect(read.serial == picture.serial)
    guard read.method == "tesseract" else { return }
    let region = try #require(read.region).corners
    let (start, end) = (middle(picture.corners, 0, 3), middle(picture.corners, 1, 2))
    let (length, height) = (distance(start, end), distance(picture.corners[0], picture.corners[3]))
    func along(_ point: PixelPoint) -> Double {
      ((point.x - start.x) * (end.x - start.x) + (point.y - start.y) * (end.y - start.y)) / length
    }
    let (left, right) = (along(middle(region, 0, 3)), along(middle(region, 1, 2)))
    #expect(left <= 0.15 * height && left >= -0.6 * height, "begins at \(left / height)")
    #expect(right >= length - 0.15 * height && right <= length + 0.6 * height, "ends at \((right - length) / height)")
    let told = distance(region[0], region[3]) * 24 / 42 / height
    #expect((0.9...1.25).contains(told), "capitals are reported \(told) times as high")
  }

  private func middle(_ corners: [PixelPoint], _ first: Int, _ second: Int) -> PixelPoint {
    PixelPoint(x: (corners[first].x + corners[second].x) / 2, y: (corners[first].y + corners[second].y) / 2)
  }

  private func distance(_ first: PixelPoint, _ second: PixelPoint) -> Double {
    ((first.x - second.x) * (first.x - second.x) + (first.y - second.y) * (first.y - second.y)).squareRoot()
  }

  @Test func textColumnsFollowItsInk() {
    #expect(GlyphVote.columns(of: TenLs.text, along: TenLs.pieces, of: TenLs.cut) == 20..<214)
  }

  @Test func placesFirstCharacterByTheOthers() throws {
    let columns = try #require(
      GlyphVote.columns(of: TenLs.text, along: Array(TenLs.pieces.dropFirst()), of: TenLs.cut))
    #expect(columns.lowerBound <= 24 && columns.upperBound >= 214)
  }

  @Test func inkOfTextLeavesOutOtherWords() throws {
    // Ten `L` between two bars close before them and three far behind.
    let picture = GrayPicture(width: 400, height: 44) { pixels in
      for index in pixels.indices { pixels[index] = 228 }
      let letters = TenLs.places.map { ($0 + 60, 14) }
      for (left, width) in [(20, 3), (32, 3)] + letters + [(330, 3), (340, 3), (350, 3)] {
        for y in 10..<34 { for x in left..<left + (y < 30 ? min(width, 4) : width) { pixels[y * 400 + x] = 15 } }
      }
    }
    let near = LengthProof(picture, columns: 0...399, capitalHeight: 24)
    #expect(near.pieces.count == 15)
    let own = try #require(near.part(of: TenLs.text, in: picture, capitalHeight: 24))
    #expect(own.pieces == TenLs.pieces.map { $0.lowerBound + 60..<$0.upperBound + 60 })
    #expect(abs(own.groundBefore - 45.0 / 24) < 0.01 && abs(own.groundAfter - 56.0 / 24) < 0.01)
    #expect(near.part(of: Array("WWWWWWWWWW".utf8), in: blank, capitalHeight: 24) == nil)
  }
}

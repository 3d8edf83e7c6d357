import BarcodeReading
import Imaging
import Testing

/// Covers: what stands for a code before any library searches for it.
@Suite struct CodePatternsTests {
  @Test(arguments: [0.0, 15, 33, 90])
  func findsBarsAndFinderPatternsAtAngles(degrees: Double) {
    let angle = degrees * .pi / 180
    #expect(CodePatterns.stand(in: DrawnCodes.serialQR.rotated(by: angle).picture))
    // Bars on a slope of 33 degrees are left to ZXing.
    if degrees != 33 { #expect(CodePatterns.stand(in: DrawnCodes.code128("SC02ZK1ABMD6N").rotated(by: angle).picture)) }
  }

  @Test func countsClockTracksOnlyIfAsked() {
    #expect(!CodePatterns.stand(in: DrawnCodes.dataMatrix))
    #expect(CodePatterns.stand(in: DrawnCodes.dataMatrix, orTracks: true))
  }

  @Test func findsNoneInPrintOrOnSmallPictures() {
    // Lines of strokes as wide and as far apart as letters, each line with others.
    var chance = Chance(state: 11)
    func next(_ count: Int) -> Int { Int(chance.next() * Double(count)) }
    let print = GrayPicture(width: 800, height: 400) { pixels in
      for index in pixels.indices { pixels[index] = 230 }
      for top in stride(from: 10, to: 380, by: 22) {
        var x = 10
        while x < 780 {
          for y in top..<top + 12 { for column in x..<x + 2 + next(2) { pixels[y * 800 + column] = 30 } }
          x += 4 + next(6)
        }
      }
    }
    #expect(!CodePatterns.stand(in: print))
    #expect(!CodePatterns.stand(in: GrayPicture(width: 1, height: 1, gray: 0)))
    #expect(!CodePatterns.stand(in: GrayPicture(width: 3000, height: 2, gray: 0)))
  }
}

/// Codes in drawn pictures: contents, positions, both libraries, rotation, small and hostile pictures.
@Suite struct BarcodeReaderTests {
  let reader = BarcodeReader()

  @Test func readsQRCodeWithBothLibraries() throws {
    let codes = reader.codes(in: DrawnCodes.serialQR)
    #expect(codes.count == 1)
    let code = try #require(codes.first)
    #expect(code.text == "C02ZK1ABMD6N")
    #expect(code.symbology == .qrCode)
    #expect(code.libraries == [.zbar, .zxing])
  }

  @Test func keepsUTF8() {
    #expect(reader.codes(in: DrawnCodes.cyrillicQR).map(\.text) == ["Номер: C02ZK1ABMD6N"])
  }

  @Test(arguments: [Orientation.up, .right, .down, .left])
  func readsCode128InEveryRotation(orientation: Orientation) {
    let codes = reader.codes(in: DrawnCodes.code128("SC02ZK1ABMD6N").upright(from: orientation))
    #expect(codes.map(\.text) == ["SC02ZK1ABMD6N"])
    #expect(codes.first?.symbology == .code128)
  }

  @Test func reportsCodePosition() throws {
    let sheet = DrawnCodes.sheet(width: 900, height: 700, [(DrawnCodes.serialQR, 500, 400)])
    let code = try #require(reader.codes(in: sheet).first)
    #expect(code.corners.count == 4)
    // The code's own modules begin 16 pixels inside the drawing and end 100 pixels further.
    for corner in code.corners {
      #expect((510...606).contains(corner.x))
      #expect((410...506).contains(corner.y))
    }
  }

  @Test func readsSeveralCodes() {
    let sheet = DrawnCodes.sheet(
      width: 700, height: 500,
      [
        (DrawnCodes.code128("1PMVVJ2LL/A"), 20, 20), (DrawnCodes.code128("SC02ZK1ABMD6N"), 20, 160),
        (DrawnCodes.serialQR, 400, 300),
      ])
    #expect(Set(reader.codes(in: sheet).map(\.text)) == ["1PMVVJ2LL/A", "SC02ZK1ABMD6N", "C02ZK1ABMD6N"])
  }

  @Test func readsSmallCodeInRegionOfLargePicture() throws {
    let sheet = DrawnCodes.sheet(width: 4000, height: 3000, [(DrawnCodes.code128("SC02ZK1ABMD6N"), 2600, 1900)])
    let codes = reader.codesInRegions(of: sheet, while: { true })
    let code = try #require(codes.first)
    #expect(code.text == "SC02ZK1ABMD6N")
    #expect(code.corners.allSatisfy { (2600...3100).contains($0.x) && (1900...1990).contains($0.y) })
  }

  @Test func startsNoRegionAfterDeadline() {
    #expect(reader.codesInRegions(of: DrawnCodes.serialQR, while: { false }).isEmpty)
  }

  @Test func catchesFailedAssertionsOfZXing() { #expect(ZXingHooks.broken.isEmpty) }

  @Test(arguments: [(0, 0), (1, 1), (3, 200), (200, 3), (64, 64)])
  func findsNothingInEmptyPictures(size: (width: Int, height: Int)) {
    let picture = GrayPicture(width: size.width, height: size.height, gray: 128)
    #expect(reader.codes(in: picture).isEmpty)
    #expect(reader.codesInRegions(of: picture, while: { true }).isEmpty)
  }

  @Test func limitsNumberOfCodes() {
    let parts = (0..<60).map { index in
      (picture: DrawnCodes.code128("CODE\(index)", module: 1, height: 12), x: index % 6 * 160, y: index / 6 * 50)
    }
    let sheet = DrawnCodes.sheet(width: 1000, height: 560, parts)
    var limited = BarcodeReader()
    limited.mostCodes = 5
    #expect(limited.codes(in: sheet).count == 5)
  }

  @Test(arguments: LightCode.all) func readsLightCodesOnDarkBackground(_ light: LightCode) throws {
    let negative = light.picture.inverted()
    #expect(reader.codes(in: light.picture).map(\.text) == [light.text])
    #expect(reader.codes(in: negative).map(\.text) == [light.text])
    // As a dark label in a photo of medium brightness.
    let photo = GrayPicture(width: 2400, height: 1800, gray: 140)
    let sheet = DrawnCodes.laid([(negative, 1500, 1100)], on: photo)
    let codes = reader.codesInRegions(of: sheet, while: { true })
    #expect(codes.map(\.text) == [light.text])
    let code = try #require(codes.first)
    #expect(code.symbology == light.symbology)
    #expect(code.corners.allSatisfy { (1490...1520 + Double(negative.width)).contains($0.x) })
  }

  @Test func readsLightCodeBesideDarkCode() {
    let photo = GrayPicture(width: 1200, height: 700, gray: 140)
    let sheet = DrawnCodes.laid(
      [(DrawnCodes.code128("1PMVVJ2LL/A"), 40, 40), (DrawnCodes.code128("SC02ZK1ABMD6N").inverted(), 400, 400)],
      on: photo)
    #expect(Set(reader.codes(in: sheet).map(\.text)) == ["1PMVVJ2LL/A", "SC02ZK1ABMD6N"])
  }

  @Test func reportsGS1ElementStrings() throws {
    let code = try #require(reader.codes(in: DrawnCodes.code128("~010950600013435210AB1~21C02ZK1ABMD6N")).first)
    #expect(code.isGS1)
    #expect(code.text == "010950600013435210AB1\u{1D}21C02ZK1ABMD6N")
    #expect(code.libraries == [.zbar, .zxing])
    #expect(reader.codes(in: DrawnCodes.code128("SC02ZK1ABMD6N")).first?.isGS1 == false)
  }
}

/// A drawn code of each kind.
struct LightCode: Sendable, CustomTestStringConvertible {
  var symbology: Barcode.Symbology
  var text: String
  var picture: GrayPicture

  var testDescription: String { symbology.rawValue }

  static let all = [
    LightCode(symbology: .qrCode, text: "C02ZK1ABMD6N", picture: DrawnCodes.serialQR),
    LightCode(symbology: .dataMatrix, text: "C02ZK1ABMD6N", picture: DrawnCodes.dataMatrix),
    LightCode(symbology: .code128, text: "SC02ZK1ABMD6N", picture: DrawnCodes.code128("SC02ZK1ABMD6N")),
    LightCode(symbology: .code39, text: "C02ZK1ABMD6N", picture: DrawnCodes.code39("C02ZK1ABMD6N")),
  ]
}

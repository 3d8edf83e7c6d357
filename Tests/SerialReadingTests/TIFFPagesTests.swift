import Imaging
import Testing

/// Covers: pages of TIFF files, found in order and decoded separately.
@Suite struct TIFFPagesTests {
  private static func picture(_ gray: UInt8, width: Int = 40, height: Int = 30) -> GrayPicture {
    GrayPicture(width: width, height: height, gray: gray)
  }

  @Test func findsPagesInOrder() throws {
    let pictures = [Self.picture(10), Self.picture(20, width: 50), Self.picture(30)]
    let first = try EncodedPicture(TIFFFile.bytes(pictures))
    let pages = first.pages(most: 8)
    #expect(pages.map(\.header.width) == [40, 50, 40])
    #expect(try pages.map { try $0.gray(pixelLimit: 10_000).picture } == pictures)
    #expect(first.pages(most: 2).count == 2)
    #expect(try EncodedPicture(try #require(Self.picture(10).png())).pages(most: 8).count == 1)
  }

  @Test func ignoresReducedCopies() throws {
    let pictures = [Self.picture(10), Self.picture(20, width: 8, height: 6), Self.picture(30)]
    let file = TIFFFile.bytes(pictures, reduced: [1])
    let pages = try EncodedPicture(file).pages(most: 8)
    #expect(try pages.map { try $0.gray(pixelLimit: 10_000).picture } == [Self.picture(10), Self.picture(30)])
  }

  @Test func circularDirectoriesEnd() throws {
    let file = TIFFFile.bytes([Self.picture(10), Self.picture(20)], isCircle: true)
    #expect(try EncodedPicture(file).pages(most: 8).count == 2)
  }

  @Test func damagedPageEndsTheList() throws {
    let file = TIFFFile.bytes([Self.picture(10), Self.picture(20), Self.picture(30)])
    for length in 8..<file.count {
      let pages = (try? EncodedPicture(Array(file[..<length])))?.pages(most: 8) ?? []
      #expect(pages.count <= 3)
      for page in pages { _ = try? page.gray(pixelLimit: 10_000) }
    }
  }
}

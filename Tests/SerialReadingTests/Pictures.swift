import Foundation
import Imaging
import ScanModel
import SerialReading
import Testing

/// A uniform gray picture.
let blank = GrayPicture(width: 400, height: 300, gray: 180)

/// Pseudo-random numbers that are the same in every run (Knuth's linear congruential generator).
struct Chance {
  var state: UInt64

  /// The next number, 0..<1.
  mutating func next() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 33) / Double(1 << 31)
  }
}

/// A picture of `testdata/pictures`, in gray.
func testPicture(_ name: String) throws -> GrayPicture {
  let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../testdata/pictures/\(name)")
  return try EncodedPicture(Array(try Data(contentsOf: file))).gray(pixelLimit: 10_000_000).picture
}

/// Reads a picture as a PNG with a new reader.
func read(_ picture: GrayPicture, progress: (ReadProgress) -> Void = { _ in }) throws -> Reading {
  try makeReader().reading(of: try #require(picture.png()), progress: progress)
}

/// Ten `L`, 20 pixels apart, on a crop of the size in which lines are read.
enum TenLs {
  static let text = Array("LLLLLLLLLL".utf8)
  /// The first column of each character.
  static let places = (0..<10).map { 20 + $0 * 20 }
  static let pieces = places.map { $0..<$0 + 14 }

  static let cut = GrayPicture(width: 240, height: 44) { pixels in
    for index in pixels.indices { pixels[index] = 228 }
    for left in places {
      for y in 10..<34 { for x in left..<left + (y < 30 ? 4 : 14) { pixels[y * 240 + x] = 15 } }
    }
  }
}

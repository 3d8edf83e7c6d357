import Imaging

/// The share of a picture drawn in even colours. It is high in screenshots, apart from the images on them, and low in
/// photos.
package struct Evenness: Sendable {
  /// The share of pixels that equal their right neighbour, 0...1.
  package let share: Double

  /// The spacing of the sampled rows.
  private static let step = 4
  /// The least share of a picture that counts as drawn.
  private static let leastOfDrawn = 0.75

  /// Measures a picture. The share is 0 for a picture less than 2 pixels wide.
  package init(of picture: GrayPicture) {
    var (equal, all) = (0, 0)
    picture.pixels.withUnsafeBufferPointer { pixels in
      guard picture.width > 1 else { return }
      for y in stride(from: 0, to: picture.height, by: Self.step) {
        let row = y * picture.width
        for x in row..<row + picture.width - 1 where pixels[x] == pixels[x + 1] { equal += 1 }
        all += picture.width - 1
      }
    }
    share = Double(equal) / Double(max(1, all))
  }

  /// Whether the picture was drawn rather than photographed.
  package var isDrawn: Bool { share >= Self.leastOfDrawn }
}

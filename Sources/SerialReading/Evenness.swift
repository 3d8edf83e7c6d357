import Imaging

/// How much of a picture is drawn in even colours: a screenshot is, but for the pictures on it; a photo is nowhere.
package struct Evenness: Sendable {
  /// Share of the pixels that are their right neighbour's equals, 0...1.
  package let share: Double

  /// Rows that are looked at: every so many.
  private static let step = 4
  /// Share from which a picture counts as drawn.
  private static let leastOfDrawn = 0.75

  /// Measures a picture; nothing of one that is less than two pixels wide is even.
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

  /// Whether the picture was drawn and not photographed.
  package var isDrawn: Bool { share >= Self.leastOfDrawn }
}

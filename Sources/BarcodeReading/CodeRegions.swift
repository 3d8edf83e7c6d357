import Imaging

/// An upright rectangle in pixels.
struct PixelRectangle: Equatable {
  var x, y, width, height: Int
}

/// Finds regions of a picture that may hold codes: densely patterned areas, by their gradients.
enum CodeRegions {
  /// Regions in pixels of the picture, the largest patterned area first.
  static func find(in picture: GrayPicture, most: Int) -> [PixelRectangle] {
    guard picture.width >= 16, picture.height >= 16 else { return [] }
    let factor = min(1, 800 / Double(picture.longestSide))
    let small = picture.scaled(by: factor)
    let energy = gradients(of: small).boxMean(size: 9)
    let mask = dense(energy).closedHorizontally(9).mask
    let components = mask.components().components
      .filter { $0.width * $0.height > 900 }
      .sorted { $0.area > $1.area }
      .prefix(most)
    let margin = 12
    return components.map { component in
      let left = max(0, Int(Double(component.x - margin) / factor))
      let top = max(0, Int(Double(component.y - margin) / factor))
      let right = min(picture.width, Int(Double(component.x + component.width + margin) / factor))
      let bottom = min(picture.height, Int(Double(component.y + component.height + margin) / factor))
      return PixelRectangle(x: left, y: top, width: right - left, height: bottom - top)
    }
  }

  /// A quarter of the sum of the two Sobel gradients' magnitudes, at most 255; 0 along the edges.
  private static func gradients(of picture: GrayPicture) -> GrayPicture {
    let (width, height) = (picture.width, picture.height)
    return GrayPicture(width: width, height: height) { out in
      out.initialize(repeating: 0)
      picture.pixels.withUnsafeBufferPointer { source in
        for y in 1..<max(1, height - 1) {
          for x in 1..<max(1, width - 1) {
            let at = y &* width &+ x
            @inline(__always) func value(_ offset: Int) -> Int { Int(source[at &+ offset]) }
            let left = value(-width - 1) + 2 * value(-1) + value(width - 1)
            let right = value(-width + 1) + 2 * value(1) + value(width + 1)
            let above = value(-width - 1) + 2 * value(-width) + value(-width + 1)
            let below = value(width - 1) + 2 * value(width) + value(width + 1)
            out[at] = UInt8(min(255, (abs(right - left) + abs(below - above)) / 4))
          }
        }
      }
    }
  }

  /// The mask of pixels whose energy is at least 15 and at least 0.7 of its 93rd percentile.
  private static func dense(_ energy: GrayPicture) -> RunMask {
    energy.mask(above: max(15, Int(0.7 * Double(energy.percentile(0.93)))))
  }
}

import Imaging
import ScanModel
import Tracking

/// Draws objects into a frame: each mask in its own colour, with a translucent filling and a solid outline.
struct FrameOverlay {
  /// Red, green and blue of colours that colour-blind people can distinguish (Okabe and Ito's palette).
  private static let colors: [SIMD3<Double>] = [
    SIMD3(230, 159, 0), SIMD3(86, 180, 233), SIMD3(0, 158, 115), SIMD3(240, 228, 66), SIMD3(204, 121, 167),
  ]
  /// The width of an outline in a frame of 640 pixels, in pixels; larger frames have wider outlines.
  private static let outline = 2

  /// The opacity of a filling, 0...0.8.
  let opacity: Double

  /// Returns the frame with the objects drawn in.
  ///
  /// - Parameters:
  ///   - tracked: The tracked objects with their masks. If there are no masks, the corners are drawn.
  ///   - frame: The frame as sent.
  func draw(_ tracked: TrackedFrame, into frame: ColorPicture) -> ColorPicture {
    var drawn = frame
    let (width, height) = (frame.width, frame.height)
    let hasMasks = tracked.report.width == width && tracked.report.height == height
    var rest = tracked.masks[...]
    for (index, object) in tracked.report.objects.enumerated() {
      guard let object else { continue }
      var mask = Array(rest.prefix(width * height))
      rest = rest.dropFirst(width * height)
      if !hasMasks || mask.count != width * height {
        let corners = object.quad.map { SIMD2($0.first ?? 0, $0.last ?? 0) }
        mask = Mask(width: width, height: height, filling: Quadrilateral(corners: corners)).bytes
      }
      fill(&drawn, mask, Self.colors[index % 5])
    }
    return drawn
  }

  private func fill(_ drawn: inout ColorPicture, _ mask: [UInt8], _ color: SIMD3<Double>) {
    let (width, height) = (drawn.width, drawn.height)
    let reach = max(Self.outline, max(width, height) * Self.outline / 640)
    func isObject(_ x: Int, _ y: Int) -> Bool {
      x >= 0 && y >= 0 && x < width && y < height && mask[y * width + x] == 1
    }
    for y in 0..<height {
      for x in 0..<width where mask[y * width + x] == 1 {
        let isInner =
          isObject(x - reach, y) && isObject(x + reach, y) && isObject(x, y - reach) && isObject(x, y + reach)
        let place = y * width + x
        drawn.pixels[place] = Self.mixed(drawn.pixels[place], color, isInner ? opacity : 1)
      }
    }
  }

  private static func mixed(_ pixel: UInt32, _ color: SIMD3<Double>, _ share: Double) -> UInt32 {
    func channel(_ shift: UInt32, _ value: Double) -> UInt32 {
      let old = Double((pixel >> shift) & 255)
      return (UInt32(exactly: min(max(old + (value - old) * share, 0), 255).rounded()) ?? 0) << shift
    }
    return channel(24, color.x) | channel(16, color.y) | channel(8, color.z)
  }
}

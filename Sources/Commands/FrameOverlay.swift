import Imaging
import Tracking
import TrackingProtocol

/// Draws where objects are into a frame: each in a colour of its own, filled lightly, its outline solid.
struct FrameOverlay {
  /// Red, green and blue, far apart for people who see few colours (Okabe and Ito's palette).
  private static let colors: [SIMD3<Double>] = [
    SIMD3(230, 159, 0), SIMD3(86, 180, 233), SIMD3(0, 158, 115), SIMD3(240, 228, 66), SIMD3(204, 121, 167),
  ]

  /// How much a filling covers, 0...0.8.
  let opacity: Double

  /// The frame with the objects of a report drawn in.
  func draw(_ report: FrameReport, into frame: ColorPicture) -> ColorPicture {
    var drawn = frame
    for (index, object) in report.objects.enumerated() {
      guard let object, object.quad.count == 4, object.quad.allSatisfy({ $0.count == 2 }) else { continue }
      let corners = object.quad.map { SIMD2($0[0], $0[1]) }
      let outer = Mask(width: frame.width, height: frame.height, filling: Quadrilateral(corners: corners))
      let middle = corners.reduce(SIMD2(), +) / 4
      let inset = corners.map { corner -> SIMD2<Double> in
        let way = middle - corner
        let length = (way * way).sum().squareRoot()
        return length > 0 ? corner + way / length * min(5, length) : corner
      }
      let inner = Mask(width: frame.width, height: frame.height, filling: Quadrilateral(corners: inset))
      let color = Self.colors[index % 5]
      for place in drawn.pixels.indices where outer.bytes[place] == 1 {
        drawn.pixels[place] = Self.mixed(drawn.pixels[place], color, inner.bytes[place] == 1 ? opacity : 1)
      }
    }
    return drawn
  }

  private static func mixed(_ pixel: UInt32, _ color: SIMD3<Double>, _ share: Double) -> UInt32 {
    func channel(_ shift: UInt32, _ value: Double) -> UInt32 {
      let old = Double((pixel >> shift) & 255)
      return (UInt32(exactly: min(max(old + (value - old) * share, 0), 255).rounded()) ?? 0) << shift
    }
    return channel(24, color.x) | channel(16, color.y) | channel(8, color.z)
  }
}

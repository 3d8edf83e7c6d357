import Imaging
import ScanModel

/// A read from a strip into which curved text was unrolled.
struct UnrolledRead {
  /// The region in the photo as uploaded.
  var region: Quadrilateral
  /// The strip, and the region in it.
  var strip: DecodedPicture
  var place: Quadrilateral
  /// Where its characters stand in the strip, measured more finely than by the recogniser.
  var text: Quadrilateral
}

extension Quadrilateral {
  /// Maps a region of an unrolled strip to the photo as uploaded: the rectangle along its chord.
  func unrolledBack(by strip: CurvedStrip, toUploaded: PixelTransform) -> Quadrilateral {
    guard corners.count == 4 else { return self }
    func place(_ along: Double, _ down: Double) -> PlanePoint {
      func between(_ a: PixelPoint, _ b: PixelPoint) -> PlanePoint {
        (a.x + (b.x - a.x) * along, a.y + (b.y - a.y) * along)
      }
      let (top, bottom) = (between(corners[0], corners[1]), between(corners[3], corners[2]))
      let source = strip.toSource(top.x + (bottom.x - top.x) * down, top.y + (bottom.y - top.y) * down)
      return toUploaded.apply(source.x, source.y)
    }
    let (start, end) = (place(0, 0.5), place(1, 0.5))
    let length = max(1e-9, distance(start, end))
    let (x, y) = ((end.x - start.x) / length, (end.y - start.y) / length)
    let outline = (0...8).flatMap { [place(Double($0) / 8, 0), place(Double($0) / 8, 1)] }
    let along = outline.map { ($0.x - start.x) * x + ($0.y - start.y) * y }
    let down = outline.map { ($0.y - start.y) * x - ($0.x - start.x) * y }
    func corner(_ along: Double?, _ down: Double?) -> PixelPoint {
      let (along, down) = (along ?? 0, down ?? 0)
      return PixelPoint(x: start.x + along * x - down * y, y: start.y + along * y + down * x)
    }
    return Quadrilateral(
      corner(along.min(), down.min()), corner(along.max(), down.min()), corner(along.max(), down.max()),
      corner(along.min(), down.max()))
  }
}

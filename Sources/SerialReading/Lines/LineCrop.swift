import Imaging
import ScanModel

/// How a line is cut out. A line is read from several cuts: what the recogniser is unsure of changes with the size of the
/// text and its place in the cut, although each reading by itself claims to be certain.
package struct CropVariant: Sendable, Equatable {
  /// Factor on the measured height of the capitals.
  package var heightFactor: Float
  /// Half of the cut's height, in heights of capitals.
  var halfHeight: Float
  /// Shift of the cut's middle downwards, in heights of capitals.
  var shift: Float

  /// The line as it was measured.
  package static let measured = CropVariant(heightFactor: 1.0, halfHeight: 0.88, shift: 0)

  /// The cuts that read best, in order.
  package static let all = [
    CropVariant(heightFactor: 0.85, halfHeight: 0.88, shift: 0),
    measured,
    CropVariant(heightFactor: 0.92, halfHeight: 0.88, shift: 0.06),
    CropVariant(heightFactor: 1.08, halfHeight: 0.88, shift: 0),
    CropVariant(heightFactor: 0.92, halfHeight: 0.82, shift: 0),
  ]

  /// Cuts in sizes that differ as much as the recogniser bears: where small print is ambiguous, they disagree.
  static let unlike = [
    CropVariant(heightFactor: 0.85, halfHeight: 0.88, shift: 0),
    CropVariant(heightFactor: 1.2, halfHeight: 0.88, shift: 0),
    measured,
    CropVariant(heightFactor: 0.75, halfHeight: 0.95, shift: 0),
    CropVariant(heightFactor: 1.08, halfHeight: 0.88, shift: 0),
    CropVariant(heightFactor: 0.92, halfHeight: 0.88, shift: 0.06),
    CropVariant(heightFactor: 0.92, halfHeight: 0.82, shift: 0),
  ]
}

/// Cuts a line out of a picture, deskewed, its ground evened out, in the size the recogniser was trained on.
package struct LineCrop {
  /// Height of capitals in the cut, in pixels; the model was trained on it.
  static let capitalHeight: Float = 24
  /// Height of capitals as a share of a read's quadrilateral.
  static let capitalShare = 24.0 / 42
  /// Ground that a read's quadrilateral shows beyond the first and the last character, in heights of capitals.
  private static let regionMargin = 0.1
  /// Ground that is kept beyond the ends of the line, in heights of capitals.
  static let margin: Float = 1.2

  /// The cut.
  package var picture: GrayPicture
  /// From its coordinates to those of the picture that the line was found in.
  var toSource: PixelTransform
  /// Height of the line's capitals in the cut, and the row along which their middles lie, in pixels.
  let capital, middle: Double

  /// Cuts a part of a line.
  ///
  /// - Parameters:
  ///   - source: The picture to cut from.
  ///   - line: The line, in coordinates of `source`.
  ///   - range: Where given, only this part of the line's x coordinates is cut.
  ///   - isUpsideDown: Whether the line is read from its right end, turned by 180 degrees.
  ///   - polarity: Light strokes are inverted, since the recogniser reads dark on light.
  package init?(
    _ source: GrayPicture, line: TextSegment, range: ClosedRange<Float>? = nil, isUpsideDown: Bool,
    variant: CropVariant, polarity: StrokePolarity
  ) {
    let height = line.capitalHeight * variant.heightFactor
    var left = max(line.left - Self.margin * height, 0)
    var right = min(line.right + Self.margin * height, Float(source.width - 1))
    if let range {
      left = max(left, range.lowerBound)
      right = min(right, range.upperBound)
    }
    let scale = Self.capitalHeight / height
    let length = (1 + line.slope * line.slope).squareRoot()
    let across = Int((right - left) * length * scale * line.stretch)
    guard right > left, across >= 8, across <= 8192 else { return nil }
    let half = Int(1.3 * Self.capitalHeight)
    var strip = LineStrip(
      originX: Double(left), originY: Double(line.slope * left + line.offset), directionX: Double(1 / length),
      directionY: Double(line.slope / length), scale: Double(scale), width: across, height: 2 * half,
      stretch: Double(line.stretch))
    if isUpsideDown { strip = strip.reversed }
    let normalised = Self.normalised(&strip, of: source, variant) { polarity == .dark ? $0 : $0.inverted() }
    picture = normalised.picture
    toSource = PixelTransform.shift(0, Double(normalised.top)).then(strip.toSource)
    capital = Double(Self.capitalHeight / variant.heightFactor)
    middle = Double(half - normalised.top)
  }

  /// The column of the cut in which a place of the line stands; the cut may begin and end elsewhere than was asked for.
  ///
  /// - Parameters:
  ///   - x: Along the line's x coordinates.
  ///   - line: The line that was cut.
  package func column(of x: Float, on line: TextSegment) -> Float {
    let place = toSource.inverse?.apply(Double(x), Double(line.slope * x + line.offset))
    return Float(place?.x ?? 0)
  }

  /// The place along a line's x coordinates at which a column of the cut stands.
  package func x(ofColumn column: Float) -> Float { Float(toSource.apply(Double(column), middle).x) }

  /// Where some columns of the cut stand, with a little ground around them. Its height tells that of the capitals (`capitalShare`), however
  /// the line was cut.
  ///
  /// - Parameters:
  ///   - columns: In the direction in which the line is read.
  ///   - toUploaded: From the picture that was cut from to the photo as uploaded.
  /// - Returns: Pixels of the photo as uploaded.
  func region(of columns: Range<Int>, toUploaded: PixelTransform) -> Quadrilateral {
    let (half, ground) = (capital / Self.capitalShare / 2, Self.regionMargin * capital)
    return quadrilateral(
      (Double(columns.lowerBound) - ground, Double(columns.upperBound) + ground), (middle - half, middle + half),
      toUploaded)
  }

  /// Where the recogniser has some columns of the cut, as high as that is: what further questions about a read were fitted on.
  ///
  /// - Parameters:
  ///   - left: The first column, in the direction in which the line is read.
  ///   - right: The last one.
  ///   - toUploaded: From the picture that was cut from to the photo as uploaded.
  /// - Returns: Pixels of the photo as uploaded.
  func recognised(from left: Int, to right: Int, toUploaded: PixelTransform) -> Quadrilateral {
    let (left, right, height) = (Double(left), Double(right), Double(picture.height))
    return quadrilateral((left, right), (0, height), toUploaded)
  }

  private func quadrilateral(
    _ columns: (Double, Double), _ rows: (Double, Double), _ toUploaded: PixelTransform
  ) -> Quadrilateral {
    let map = toSource.then(toUploaded)
    func corner(_ x: Double, _ y: Double) -> PixelPoint {
      let place = map.apply(x, y)
      return PixelPoint(x: place.x, y: place.y)
    }
    return Quadrilateral(
      corner(columns.0, rows.0), corner(columns.1, rows.0), corner(columns.1, rows.1), corner(columns.0, rows.1))
  }

  /// Cuts a strip and evens it out, and once more where its letters lean, so that they stand upright.
  ///
  /// - Parameters:
  ///   - strip: Takes the shear.
  ///   - darkOnLight: Makes what was cut dark on light.
  static func normalised(
    _ strip: inout LineStrip, of source: GrayPicture, _ variant: CropVariant, darkOnLight: (GrayPicture) -> GrayPicture
  ) -> (picture: GrayPicture, top: Int) {
    let cut = normalised(darkOnLight(source.strip(strip)), variant)
    strip.shear = Shear.of(cut.picture)
    return strip.shear == 0 ? cut : normalised(darkOnLight(source.strip(strip)), variant)
  }

  /// Evens out the ground, keeps the rows of the text, and stretches the contrast.
  static func normalised(_ flat: GrayPicture, _ variant: CropVariant) -> (picture: GrayPicture, top: Int) {
    let ratios = flat.dividedByBackground(size: Int(2 * capitalHeight) | 1)
    let middle = Float(flat.height) / 2 + variant.shift * capitalHeight
    let top = max(0, Int(middle - variant.halfHeight * capitalHeight))
    let bottom = min(flat.height, Int(middle + variant.halfHeight * capitalHeight))
    let rows = ratios[top * flat.width..<bottom * flat.width]
    let picture = GrayPicture.stretched(
      rows, width: flat.width, height: bottom - top, low: 1, high: 90, least: 0.02, floor: 10, ceiling: 230)
    return (picture, top)
  }
}

import Imaging
import ScanModel

/// The size and position of a crop. A line is read from several crops: the recogniser's uncertain characters change
/// with the size and position of the text, although each single reading has a high confidence.
package struct CropVariant: Sendable, Equatable {
  /// Factor on the measured capital height.
  package var heightFactor: Float
  /// Half the crop's height, in capital heights.
  var halfHeight: Float
  /// Downward shift of the crop's middle, in capital heights.
  var shift: Float

  /// The line as measured.
  package static let measured = CropVariant(heightFactor: 1.0, halfHeight: 0.88, shift: 0)

  /// The crops that read best, in order.
  package static let all = [
    CropVariant(heightFactor: 0.85, halfHeight: 0.88, shift: 0),
    measured,
    CropVariant(heightFactor: 0.92, halfHeight: 0.88, shift: 0.06),
    CropVariant(heightFactor: 1.08, halfHeight: 0.88, shift: 0),
    CropVariant(heightFactor: 0.92, halfHeight: 0.82, shift: 0),
  ]

  /// Crops in sizes as different as the recogniser can read: they disagree on ambiguous small print.
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

/// Crops a line from an image: deskewed, with an even background, in the size on which the recogniser was trained.
package struct LineCrop {
  /// Height of capitals in the crop, in pixels, on which the model was trained.
  static let capitalHeight: Float = 24
  /// Height of capitals as a share of the height of a read's quadrilateral.
  static let capitalShare = 24.0 / 42
  /// Background that a read's quadrilateral shows beyond the first and last character, in capital heights.
  private static let regionMargin = 0.1
  /// Background kept beyond the ends of the line, in capital heights.
  static let margin: Float = 1.2

  /// The crop.
  package var picture: GrayPicture
  /// Transform from crop coordinates to those of the image in which the line was found.
  var toSource: PixelTransform
  /// Height of the line's capitals in the crop, and the row of their middles, in pixels.
  let capital, middle: Double

  /// Crops a line or a part of it; nil if the result would be narrower than 8 or wider than 8192 pixels.
  ///
  /// - Parameters:
  ///   - source: The image to crop.
  ///   - line: The line, in coordinates of `source`.
  ///   - range: If given, the part of the line's x coordinates to crop.
  ///   - isUpsideDown: Whether the line is read from its right end, turned by 180 degrees.
  ///   - variant: The crop's size and position.
  ///   - polarity: The line's polarity. Light strokes are inverted, because the recogniser reads dark on light.
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

  /// The column of the crop at a place of the line. The crop may begin and end elsewhere than requested.
  ///
  /// - Parameters:
  ///   - x: Position in the line's x coordinates.
  ///   - line: The cropped line.
  package func column(of x: Float, on line: TextSegment) -> Float {
    let place = toSource.inverse?.apply(Double(x), Double(line.slope * x + line.offset))
    return Float(place?.x ?? 0)
  }

  /// The position in the line's x coordinates of a column of the crop.
  package func x(ofColumn column: Float) -> Float { Float(toSource.apply(Double(column), middle).x) }

  /// The place of some columns of the crop, with a small margin. Its height is proportional to that of the capitals
  /// (`capitalShare`), whatever the crop's variant.
  ///
  /// - Parameters:
  ///   - columns: Columns in reading direction.
  ///   - toUploaded: The transform from the image that was cropped to the photo as uploaded.
  /// - Returns: The quadrilateral in pixels of the photo as uploaded.
  func region(of columns: Range<Int>, toUploaded: PixelTransform) -> Quadrilateral {
    let (half, ground) = (capital / Self.capitalShare / 2, Self.regionMargin * capital)
    return quadrilateral(
      (Double(columns.lowerBound) - ground, Double(columns.upperBound) + ground), (middle - half, middle + half),
      toUploaded)
  }

  /// The recogniser's place of some columns, with the crop's full height. Later checks of a read were fitted on this
  /// region.
  ///
  /// - Parameters:
  ///   - left: The first column, in reading direction.
  ///   - right: The last column.
  ///   - toUploaded: The transform from the image that was cropped to the photo as uploaded.
  /// - Returns: The quadrilateral in pixels of the photo as uploaded.
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

  /// Cuts out a strip and normalises it. If its letters lean, cuts it again with a shear that makes them upright.
  ///
  /// - Parameters:
  ///   - strip: The strip; its shear is set.
  ///   - source: The image to cut.
  ///   - variant: The crop's size and position.
  ///   - darkOnLight: Converts what was cut to dark on light.
  static func normalised(
    _ strip: inout LineStrip, of source: GrayPicture, _ variant: CropVariant, darkOnLight: (GrayPicture) -> GrayPicture
  ) -> (picture: GrayPicture, top: Int) {
    let cut = normalised(darkOnLight(source.strip(strip)), variant)
    strip.shear = Shear.of(cut.picture)
    return strip.shear == 0 ? cut : normalised(darkOnLight(source.strip(strip)), variant)
  }

  /// Evens out the background, keeps the rows of the text, and stretches the contrast.
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

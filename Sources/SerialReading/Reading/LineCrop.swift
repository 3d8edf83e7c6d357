import Imaging
import ScanModel
import TextReading

/// The size and position of a crop. A line is read from several crops: the recogniser's uncertain characters change
/// with the size and position of the text, although each single reading has a high confidence.
package struct CropVariant: Sendable, Equatable {
  /// Factor on the measured capital height.
  package var heightFactor: Float
  /// Half the crop's height, in capital heights.
  var halfHeight: Float = 0.88
  /// Downward shift of the crop's middle, in capital heights.
  var shift: Float = 0

  /// The line as measured.
  package static let measured = CropVariant(heightFactor: 1)

  /// Lower and narrower crops, in which other characters are uncertain.
  private static let others = [
    CropVariant(heightFactor: 0.92, shift: 0.06), CropVariant(heightFactor: 0.92, halfHeight: 0.82),
  ]

  /// The crops that read values best, the smallest and the largest letters first, because their errors are least alike.
  package static let ofValues =
    [CropVariant(heightFactor: 0.85), CropVariant(heightFactor: 1.08), measured] + others

  /// The crops of etched lines, in sizes as different as the recogniser can read: they disagree on ambiguous small print.
  static let unlike =
    [
      CropVariant(heightFactor: 0.85), CropVariant(heightFactor: 1.2), measured,
      CropVariant(heightFactor: 0.75, halfHeight: 0.95), CropVariant(heightFactor: 1.08),
    ] + others
}

/// Crops a line from an image: deskewed, with an even background, in the size on which the recogniser was trained.
package struct LineCrop {
  /// Height of capitals in the crop, in pixels, on which the model was trained.
  package static let capitalHeight: Float = 24
  /// Height of capitals as a share of the height of a read's quadrilateral.
  static let capitalShare = 24.0 / 42
  /// Background that a read's quadrilateral shows beyond the first and last character, in capital heights.
  private static let regionMargin = 0.1
  /// Range of a crop's width, in pixels.
  static let widths = 8...8192
  /// Half the height of the strip from which a crop is made, in capital heights: more than any variant's.
  static let halfStrip: Float = 1.3
  /// Background kept beyond the ends of the line, in capital heights.
  static let margin: Float = 1.2
  /// Percentiles of the ratios to the background that strokes and ground have, and the gray values that these become.
  private static let strokes: (percentile: Double, gray: Float) = (1, 10)
  private static let ground: (percentile: Double, gray: Float) = (90, 230)
  /// Least difference of these two ratios: a smaller one is not stretched to full contrast.
  private static let leastContrast: Float = 0.02

  package let picture: GrayPicture
  /// Its size and position.
  let variant: CropVariant
  /// The line's polarity in the image in which it was found.
  let polarity: StrokePolarity
  /// Transform from crop coordinates to the photo as uploaded.
  let toUploaded: PixelTransform
  /// Transform from crop coordinates to those of the image in which the line was found.
  private let toSource: PixelTransform
  /// Height of the line's capitals in the crop, and the row of their middles, in pixels.
  let capital, middle: Double

  /// Crops a line or a part of it; nil if the result would be too narrow or too wide (`widths`).
  ///
  /// - Parameters:
  ///   - line: The line, in coordinates of `source`.
  ///   - range: If given, the part of the line's x coordinates to crop.
  ///   - isUpsideDown: Whether the line is read from its right end, turned by 180 degrees.
  ///   - polarity: The line's polarity. Light strokes are inverted, because the recogniser reads dark on light.
  package init?(
    _ source: DecodedPicture, line: TextSegment, range: ClosedRange<Float>? = nil, isUpsideDown: Bool,
    variant: CropVariant, polarity: StrokePolarity
  ) {
    let height = line.capitalHeight * variant.heightFactor
    var left = max(line.left - Self.margin * height, 0)
    var right = min(line.right + Self.margin * height, Float(source.picture.width - 1))
    if let range {
      left = max(left, range.lowerBound)
      right = min(right, range.upperBound)
    }
    let scale = Self.capitalHeight / height
    let length = (1 + line.slope * line.slope).squareRoot()
    let across = Int((right - left) * length * scale * line.stretch)
    guard right > left, Self.widths.contains(across) else { return nil }
    let half = Int(Self.halfStrip * Self.capitalHeight)
    var strip = LineStrip(
      origin: PlanePoint(Double(left), Double(line.y(at: left))),
      direction: PlanePoint(Double(1 / length), Double(line.slope / length)), scale: Double(scale), width: across,
      height: 2 * half, stretch: Double(line.stretch))
    if isUpsideDown { strip = strip.reversed }
    let normalised = Self.normalised(&strip, of: source.picture, variant) { polarity == .dark ? $0 : $0.inverted() }
    picture = normalised.picture
    (self.variant, self.polarity) = (variant, polarity)
    toSource = PixelTransform.shift(0, Double(normalised.top)).then(strip.toSource)
    toUploaded = toSource.then(source.toUploaded)
    capital = Double(Self.capitalHeight / variant.heightFactor)
    middle = Double(half - normalised.top)
  }

  /// The column of the crop at an x coordinate of the line. The crop may begin and end elsewhere than requested.
  package func column(of x: Float, on line: TextSegment) -> Float {
    let place = toSource.inverse?.apply(Double(x), Double(line.y(at: x)))
    return Float(place?.x ?? 0)
  }

  /// The position in the line's x coordinates of a column of the crop.
  package func x(ofColumn column: Float) -> Float { Float(toSource.apply(Double(column), middle).x) }

  /// The place of some columns of the crop, with a small margin. Its height is proportional to that of the capitals
  /// (`capitalShare`), whatever the crop's variant.
  ///
  /// - Parameter columns: Columns in reading direction.
  /// - Returns: The quadrilateral in pixels of the photo as uploaded.
  func region(of columns: Range<Int>) -> Quadrilateral {
    let (half, ground) = (capital / Self.capitalShare / 2, Self.regionMargin * capital)
    return quadrilateral(
      (Double(columns.lowerBound) - ground, Double(columns.upperBound) + ground), (middle - half, middle + half))
  }

  /// The recogniser's place of some columns, with the crop's full height. Later checks of a read were fitted on this
  /// region.
  ///
  /// - Parameters:
  ///   - left: The first column, in reading direction.
  ///   - right: The last column.
  /// - Returns: The quadrilateral in pixels of the photo as uploaded.
  func recognised(from left: Int, to right: Int) -> Quadrilateral {
    quadrilateral((Double(left), Double(right)), (0, Double(picture.height)))
  }

  /// The place of some columns in the photo as uploaded, along the crop's middle.
  func sighting(from left: Int, to right: Int) -> Sighting {
    let middle = Double(picture.height) / 2
    return Sighting(
      left: toUploaded.apply(Double(left), middle), right: toUploaded.apply(Double(right), middle),
      capital: toUploaded.length(down: capital), polarity: polarity)
  }

  private func quadrilateral(_ columns: (Double, Double), _ rows: (Double, Double)) -> Quadrilateral {
    func corner(_ x: Double, _ y: Double) -> PixelPoint { PixelPoint(toUploaded.apply(x, y)) }
    return Quadrilateral(
      corner(columns.0, rows.0), corner(columns.1, rows.0), corner(columns.1, rows.1), corner(columns.0, rows.1))
  }

  /// Cuts out a strip and normalises it. If its letters lean, cuts it again with a shear that makes them upright.
  ///
  /// - Parameters:
  ///   - strip: The strip; its shear is set.
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
      rows, width: flat.width, height: bottom - top, low: strokes.percentile, high: ground.percentile,
      least: leastContrast, floor: strokes.gray, ceiling: ground.gray)
    return (picture, top)
  }
}

/// The image from which lines are cropped: the one in which they were found, or a larger decoding of the photo.
enum FinerCut {
  /// Always the image in which they were found, if it is not merely a reduction of the photo.
  case never
  /// The photo, if the capitals are lower than `below` pixels and the photo has more pixels.
  case ofCapitals(below: Double, from: Photo)

  /// Maximum side requested, in pixels.
  private static let greatestSide = 12_000.0
  /// Least factor on the side that is worth another picture.
  private static let leastGain = 1.25

  /// The image from which lines are cropped, with the lines in its coordinates.
  ///
  /// - Parameters:
  ///   - lines: Lines found in `decoded` or in a turned copy.
  ///   - capital: Height of their capitals, in pixels of that image.
  ///   - decoded: The image in which they were found.
  /// - Throws: `ReadFailure` if the photo can't be decoded again.
  func source(
    for lines: [TextSegment], capital: Float, in decoded: DecodedPicture
  ) throws(ReadFailure) -> (picture: DecodedPicture, lines: [TextSegment]) {
    guard case .ofCapitals(let limit, let photo) = self, capital > 0, capital < Float(limit) else {
      return (decoded, lines)
    }
    let side = decoded.picture.longestSide
    let wanted = Double(LineCrop.capitalHeight / capital) * Double(side)
    let finer = try photo.reduced(toSide: Int(min(wanted, Self.greatestSide)))
    guard Double(finer.picture.longestSide) > Self.leastGain * Double(side) else { return (decoded, lines) }
    let factor = Float(finer.picture.longestSide) / Float(side)
    return (finer, lines.map { $0.scaled(by: factor) })
  }
}

/// Measures how far the letters of a line's crop lean, as they do in photos taken at an angle. Upright strokes fill few
/// columns, leaning strokes many.
package enum Shear {
  /// Shears that are tried (horizontal shift per row), and the least worth another crop: the recogniser reads smaller
  /// ones.
  private static let steps = stride(from: -0.5, through: 0.5, by: 0.05)
  private static let least = 0.15
  /// Greatest rounding error of a step.
  private static let tolerance = 0.01
  /// Minimum relative growth of the sum of squared column ink per unit of shear. It is about 0.05 for noise or letters
  /// such as `V` and `7`, and at least 0.14 in 95 % of lines that lean by 0.2 or more.
  private static let leastGrowth = 0.12
  /// Darkness below which a pixel is background, 0...255.
  private static let ground: UInt8 = 60

  /// The shear of a dark-on-light line; 0 if its letters are upright.
  package static func of(_ line: GrayPicture) -> Double {
    let ink = line.pixels.map { 255 - $0 >= ground ? Int32(255 - $0) : 0 }
    let upright = columns(of: ink, in: line, at: 0)
    let best = steps.map { shear in
      let columns = columns(of: ink, in: line, at: shear)
      return (shear: shear, columns: columns, squares: squares(columns))
    }.max { $0.squares < $1.squares }
    // The diagonals of `7` and `Z` gather the ink, but the letters then fill more columns.
    guard let best, abs(best.shear) >= least - tolerance,
      best.squares > (1 + leastGrowth * abs(best.shear)) * squares(upright), roots(best.columns) < roots(upright)
    else { return 0 }
    return best.shear
  }

  /// The sum of the squares, and of the square roots, of each column's ink.
  private static func squares(_ columns: [Int32]) -> Double { columns.reduce(0) { $0 + Double($1) * Double($1) } }
  private static func roots(_ columns: [Int32]) -> Double { columns.reduce(0) { $0 + Double($1).squareRoot() } }

  /// The ink of each column, after shearing the line back.
  private static func columns(of ink: [Int32], in line: GrayPicture, at shear: Double) -> [Int32] {
    let (width, height) = (line.width, line.height)
    var columns = [Int32](repeating: 0, count: width + height + 2)
    ink.withUnsafeBufferPointer { ink in
      columns.withUnsafeMutableBufferPointer { columns in
        for y in 0..<height {
          let shift = Int((Double(height) / 2 - shear * (Double(y) - Double(height) / 2)).rounded())
          for x in 0..<width { columns[x &+ shift] &+= ink[y &* width &+ x] }
        }
      }
    }
    return columns
  }
}

/// Measures how wide the letters of a line are. From the side, rows are foreshortened along or across, and letters look
/// condensed or wide.
package enum LetterWidth {
  /// A kind of text, by the distance between adjacent characters in capital heights.
  private struct Text {
    /// The distance that the recogniser reads best.
    var usual: Float
    /// The range outside which the recogniser makes more errors than after rescaling to the usual width.
    var bearable: ClosedRange<Float>

    /// Measured on 120 generated serials stretched by 0.5 to 2: 80 to 89 % were read at 0.6 to 1.2, 62 % at 0.5, 67 %
    /// at 1.4.
    static let capitals = Text(usual: 0.9, bearable: 0.66...1.25)
    /// Mostly lower-case letters.
    static let running = Text(usual: 0.72, bearable: 0.5...1.12)
  }

  /// Range of the factor by which a line is condensed or widened.
  private static let limits: ClosedRange<Float> = 0.5...1.7
  /// Minimum number of distances, and the mean confidence, 0...100, below which the line counts as texture.
  private static let leastDistances = 6
  private static let leastConfidence: Float = 94

  /// The factor on a line's length that gives its letters the usual width; nil if they have it or if the width is
  /// uncertain. Touching or broken letters make pieces of other widths, so the read text and the pieces must agree.
  ///
  /// - Parameters:
  ///   - pieces: Positions along the line of the pieces by which it was found, in pixels.
  ///   - pieceCapital: Height of its capitals there, in pixels.
  ///   - text: The recognised text of one of its crops.
  ///   - capital: Height of the capitals in that crop, in pixels.
  ///   - isWord: Whether only its capitals and digits count.
  package static func stretch(
    pieces: [Float], pieceCapital: Float, readAs text: TextLine, capital: Float, isWord: Bool
  ) -> Float? {
    guard text.meanConfidence >= leastConfidence, pieceCapital > 0, capital > 0,
      let (kind, distance) = distance(in: text, isWord: isWord),
      let found = median(zip(pieces.sorted(), pieces.sorted().dropFirst()).map { $1 - $0 })
    else { return nil }
    let (read, seen) = (distance / capital, found / pieceCapital)
    guard max(read, seen) < kind.bearable.lowerBound || min(read, seen) > kind.bearable.upperBound else { return nil }
    return min(limits.upperBound, max(limits.lowerBound, kind.usual / read))
  }

  /// Median distance between adjacent characters, in pixels: of adjacent capitals and digits if there are enough.
  private static func distance(in text: TextLine, isWord: Bool) -> (kind: Text, distance: Float)? {
    let pairs = zip(text.symbols, text.symbols.dropFirst())
    let distances = { (pairs: [(Symbol, Symbol)]) in
      median(pairs.map { Float($1.left + $1.right - $0.left - $0.right) / 2 })
    }
    if let distance = distances(pairs.filter { isCapital($0) && isCapital($1) }) { return (.capitals, distance) }
    return isWord ? nil : distances(Array(pairs)).map { (.running, $0) }
  }

  private static func isCapital(_ symbol: Symbol) -> Bool { symbol.character.isUppercase || symbol.character.isNumber }

  private static func median(_ distances: [Float]) -> Float? {
    distances.count >= leastDistances ? Statistics.median(distances) : nil
  }
}

extension LineCrop {
  /// The factor on a line's length that gives its letters the usual width, by this crop's text; nil if they have it.
  func stretch(of line: TextSegment, readAs text: TextLine, isWord: Bool) -> Float? {
    LetterWidth.stretch(
      pieces: line.x, pieceCapital: line.capitalHeight, readAs: text, capital: Float(capital), isWord: isWord)
  }
}

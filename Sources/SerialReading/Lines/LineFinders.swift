import Imaging

/// Finds lines of text by their characters: connected strokes of similar height in a row.
///
/// Searches along the rows and the columns of the image. Each finds lines up to a slope of one half, so together they
/// cover most directions.
struct TextLineFinder {
  /// The lines found along one axis.
  struct LineSet: Sendable {
    var lines: [TextSegment]
    /// Whether any piece of text is bent, as along a curve.
    var isBent: Bool
  }

  /// The kind of strokes it finds.
  var strokes: Strokes
  /// Range of the longer side of a character's box, in pixels.
  var characterSides = 5...48
  /// Range of capital heights, in pixels.
  var capitalHeights: ClosedRange<Float> = 4...40
  /// Maximum gap within a segment, in pixels.
  var closing = 15

  /// The lines along the rows of an image, and along its columns in coordinates of the image turned clockwise.
  func lines(in picture: GrayPicture) -> (rows: LineSet, columns: LineSet) {
    let characters = CharacterComponents(strokes.mask(of: picture), sides: characterSides)
    return (set(of: characters), set(of: characters.turnedClockwise()))
  }

  private func set(of characters: CharacterComponents) -> LineSet {
    let segments = segments(of: characters)
    return LineSet(
      lines: LineMerging.merged(segments).filter { $0.isLine(leastLength: 7, leastCount: 6) },
      isBent: segments.contains(where: \.isBent))
  }

  /// The wanted segments along the rows and the columns of an image, each with the middles of its characters there, in
  /// order.
  func pieces(
    of characters: CharacterComponents, where isWanted: (TextSegment) -> Bool
  ) -> [(segment: TextSegment, middles: [PlanePoint])] {
    let height = Double(characters.mask.height)
    func middles(_ segment: TextSegment) -> [PlanePoint] {
      segment.boxes.sorted { $0.x < $1.x }.map { PlanePoint(Double($0.x), Double($0.y)) }
    }
    let rows = segments(of: characters).filter(isWanted).map { ($0, middles($0)) }
    let columns = segments(of: characters.turnedClockwise()).filter(isWanted).map { segment in
      (segment, middles(segment).map { PlanePoint($0.y, height - $0.x) })
    }
    return rows + columns
  }

  /// Segments of characters that a horizontal closing connects.
  func segments(of characters: CharacterComponents) -> [TextSegment] {
    guard !characters.components.isEmpty else { return [] }
    let (closed, owner) = characters.mask.closedHorizontally(closing)
    let (groups, groupOfRun) = closed.components()
    var group = [Int32](repeating: -1, count: characters.components.count)
    for (run, label) in characters.labels.enumerated() where group[Int(label)] < 0 {
      group[Int(label)] = groupOfRun[Int(owner[run])]
    }
    var members = [[Component]](repeating: [], count: groups.count)
    for (index, component) in characters.components.enumerated() where group[index] >= 0 {
      members[Int(group[index])].append(component)
    }
    return zip(groups, members).compactMap { extent, boxes in
      guard boxes.count >= 3, extent.width >= 25 else { return nil }
      let median = Statistics.median(boxes.map { Float($0.height) })
      guard capitalHeights.contains(median) else { return nil }
      let alike = boxes.filter { Float($0.height) > 0.45 * median && Float($0.height) < 2 * median }
      return alike.count >= 3 ? TextSegment(alike) : nil
    }
  }
}

/// Finds short and long lines of text of either polarity: labels and values on a screen, print on a label.
///
/// Unlike the finder of etched lines it keeps single words and accepts larger characters.
struct DisplayLineFinder: Equatable {
  /// The kind of strokes it finds.
  var strokes: Strokes
  /// Whether strokes that hold several characters are split.
  var partsJoined = false

  /// Range of the longer side of a character's box, and of several touching ones, in pixels.
  private static let componentSides = 5...260
  /// Range of capital heights, in pixels.
  private static let capitalHeights: ClosedRange<Float> = 4...64
  /// Number of components above which an image is texture or noise; a threshold below `faint` is then raised once, by a
  /// factor.
  private static let (mostComponents, faint, raised) = (2500, 0.3, 1.8)

  /// The amount of text in lines that are clearly text.
  static func weight(of lines: [TextSegment]) -> Int {
    lines.filter { $0.length >= 5 * $0.capitalHeight && $0.count >= 6 }.weight
  }

  /// The lines along the rows of an image, and along its columns in coordinates of the image turned clockwise.
  func lines(in picture: GrayPicture) -> (rows: [TextSegment], columns: [TextSegment]) {
    let characters = characters(in: picture)
    return (lines(of: characters), lines(of: characters.turnedClockwise()))
  }

  /// The lines of an image that was cropped level.
  func levelLines(in picture: GrayPicture) -> [TextSegment] { lines(of: characters(in: picture)) }

  /// Splits segments that merged rows which nearly touch: the characters of each row lie on a line, those of both
  /// don't.
  private func parted(_ segments: [TextSegment]) -> [TextSegment] {
    let isStraight = { (segment: TextSegment) in segment.residual < 0.25 * segment.capitalHeight }
    let slope = Statistics.median(segments.filter { isStraight($0) && $0.count >= 6 }.map(\.slope))
    return segments.flatMap { segment in
      isStraight(segment) || segment.count < 6 ? [segment] : segment.rows(alongSlope: slope)
    }
  }

  /// Strokes of character size.
  func characters(in picture: GrayPicture) -> CharacterComponents {
    let characters = Self.characters(strokes.mask(of: picture))
    guard characters.components.count > Self.mostComponents, strokes.threshold < Self.faint else { return characters }
    var clearer = strokes
    clearer.threshold *= Self.raised
    return Self.characters(clearer.mask(of: picture))
  }

  private static func characters(_ strokes: RunMask) -> CharacterComponents {
    CharacterComponents(strokes, sides: componentSides).withoutRules()
  }

  /// The lines of characters. If splitting joined strokes gives a line many more characters, the split line replaces
  /// it.
  private func lines(of characters: CharacterComponents) -> [TextSegment] {
    let whole = linesAsTheyStand(of: characters)
    guard partsJoined else { return whole }
    let parted = linesAsTheyStand(of: characters.withJoinedParted(sides: Self.componentSides))
    let gained = parted.filter { line in
      !whole.contains { line.isSameRow(as: $0) && $0.density > Self.leastShareOfParted * line.density }
    }
    return whole.filter { line in !gained.contains { line.isSameRow(as: $0) } } + gained
  }

  /// Share of the density of its split strokes above which a line's strokes are characters as they are.
  private static let leastShareOfParted: Float = 0.5

  private func linesAsTheyStand(of characters: CharacterComponents) -> [TextSegment] {
    let finder = TextLineFinder(strokes: strokes, capitalHeights: Self.capitalHeights)
    return LineMerging.merged(parted(finder.segments(of: characters)))
      .filter { $0.isLine(leastLength: 2.2, leastCount: 3) }
  }
}

extension CharacterComponents {
  private enum Rule {
    /// Longest side of a character, and width of its thinnest stroke in such a size, in pixels.
    static let (longestCharacter, thinnest) = (80, 7)
    /// Share of its box, one in so many pixels, below which a component is a border.
    static let sparse = 6
  }

  /// Drops rules and borders: components longer than a character that are thin, sparse or too high.
  func withoutRules() -> CharacterComponents {
    let isRule = components.map { box in
      let narrow = min(box.width, box.height)
      let isSparse = box.area * Rule.sparse < box.width * box.height
      return box.longestSide > Rule.longestCharacter
        && (narrow < Rule.thinnest || narrow > Rule.longestCharacter || isSparse)
    }
    return isRule.contains(true) ? keeping { !isRule[$0] } : self
  }

  /// Keeps only the components for whose index `keep` returns true.
  func keeping(_ keep: (Int) -> Bool) -> CharacterComponents {
    var number = [Int32](repeating: -1, count: components.count)
    var kept: [Component] = []
    for (index, component) in components.enumerated() where keep(index) {
      number[index] = Int32(kept.count)
      kept.append(component)
    }
    var other = self
    other.components = kept
    other.mask = mask.filtered { number[Int(labels[$0])] >= 0 }
    other.labels = labels.map { number[Int($0)] }.filter { $0 >= 0 }
    return other
  }
}

extension TextSegment {
  /// Strokes per pixel of length.
  fileprivate var density: Float { Float(count) / max(1, length) }

  /// Whether another line covers much of this one.
  fileprivate func isSameRow(as other: TextSegment) -> Bool {
    let (start, end) = (max(left, other.left), min(right, other.right))
    guard end - start > 0.5 * min(length, other.length) else { return false }
    let x = (start + end) / 2
    return abs(other.drop(to: x, y(at: x))) < 0.5 * max(capitalHeight, other.capitalHeight)
  }

  /// The rows of the characters along a slope. Rows are split where no middle lies within half a capital height.
  fileprivate func rows(alongSlope slope: Float) -> [TextSegment] {
    func level(_ box: Box) -> Float { box.y - slope * box.x }
    var groups: [[Box]] = []
    var last = -Float.infinity
    for box in boxes.sorted(by: { level($0) < level($1) }) {
      if groups.isEmpty || level(box) - last > 0.5 * capitalHeight { groups.append([]) }
      groups[groups.count - 1].append(box)
      last = level(box)
    }
    return groups.filter { $0.count >= 3 }.map(TextSegment.init(boxes:))
  }
}

extension RunMask {
  /// Number of set pixels in each square of `side` pixels, row by row. A run counts where it starts.
  fileprivate func areas(ofTiles side: Int) -> [Int] {
    let across = (width + side - 1) / side
    var areas = [Int](repeating: 0, count: across * ((height + side - 1) / side))
    for run in runs { areas[Int(run.row) / side * across + Int(run.start) / side] += Int(run.end - run.start) }
    return areas
  }
}

/// Estimates whether an image's text is dark on light or light on dark, from its strokes of both polarities.
///
/// Thin light text barely brightens the mean of its surroundings, so around it more pixels count as dark strokes than
/// it has itself: a surplus of dark pixels indicates light text.
struct TextPolarity {
  /// Dark stroke pixels per light one.
  let ratio: Double
  /// Whether the image has strokes.
  let hasStrokes: Bool
  /// Whether it is a desktop with windows of light and of dark text.
  let isMixed: Bool
  /// Whether noise stands out from its background.
  private let inNoise: Bool

  private static let threshold = 0.07
  /// Ratio from which text counts as light on dark.
  private static let lightTextRatio = 1.2
  /// Contrast of light strokes, whose surroundings glow.
  private static let strongThreshold = 0.15
  /// Contrast of light strokes on black, where the glow between letters is also strong.
  private static let glowThreshold = 0.45
  /// Brightness up to which black counts as even, in an image without noise and with noise: noise stands out most from
  /// black.
  private static let black = (even: 8, noisy: 24)
  /// Share of stroke pixels below which an image is flat.
  private static let leastShare = 0.004

  /// Measures an image.
  ///
  /// - Parameters:
  ///   - inNoise: Whether the photo's noise stands out from its background.
  ///   - isScreenshot: Whether the image may be a desktop; only then are its parts compared.
  init(of picture: GrayPicture, inNoise: Bool, isScreenshot: Bool = false) {
    let masks = [StrokePolarity.dark, .light].map {
      Strokes(polarity: $0, threshold: Self.threshold).mask(of: picture)
    }
    let (dark, light) = (masks[0].area, masks[1].area)
    ratio = Double(dark + 1) / Double(light + 1)
    self.inNoise = inNoise
    hasStrokes = Double(dark + light) >= Self.leastShare * Double(picture.width * picture.height)
    isMixed = isScreenshot && Self.isMixed(masks[0].areas(ofTiles: Self.tile), masks[1].areas(ofTiles: Self.tile))
  }

  /// Side of the parts whose polarities are compared, in pixels, and the share of stroke pixels from which one counts.
  private static let tile = 100
  private static let leastShareOfTile = 0.03
  /// Ratio of dark to light stroke pixels, or of light to dark ones, from which a part's polarity is clear.
  private static let clearRatio = 1.3
  /// Share of the stroke pixels of all clear parts that each polarity's parts have in a mixed image. Shadows and
  /// pictures reach a tenth.
  private static let leastShareOfMixed = 0.15

  /// Whether both polarities are clear in some parts, by the numbers of their stroke pixels in each.
  static func isMixed(_ dark: [Int], _ light: [Int]) -> Bool {
    var (ofDarkText, ofLightText) = (0, 0)
    for (dark, light) in zip(dark, light)
    where Double(dark + light) >= leastShareOfTile * Double(tile * tile) {
      if Double(dark) >= clearRatio * Double(light) { ofLightText += dark + light }
      if Double(light) >= clearRatio * Double(dark) { ofDarkText += dark + light }
    }
    let least = min(ofDarkText, ofLightText)
    return least > 0 && Double(least) >= leastShareOfMixed * Double(ofDarkText + ofLightText)
  }

  private var isLight: Bool { ratio >= Self.lightTextRatio }

  /// The strokes of most text; nil for a flat image.
  var main: DisplayLineFinder? {
    isLight ? finder(Self.strongThreshold, .light) : finder(Self.threshold, .dark)
  }

  /// The same polarity at the other contrast; nil for a flat image.
  var mainOtherContrast: DisplayLineFinder? {
    isLight
      ? finder(Self.glowThreshold, .light, partsJoined: true)
      : finder(Self.strongThreshold, .dark, partsJoined: true)
  }

  /// The other polarity; nil for a flat image.
  var other: DisplayLineFinder? { finder(Self.strongThreshold, isLight ? .dark : .light, partsJoined: true) }

  private func finder(
    _ threshold: Double, _ polarity: StrokePolarity, partsJoined: Bool = false
  ) -> DisplayLineFinder? {
    guard hasStrokes else { return nil }
    let leastGround = inNoise ? Self.black.noisy : Self.black.even
    return DisplayLineFinder(
      strokes: Strokes(polarity: polarity, threshold: threshold, leastGround: leastGround), partsJoined: partsJoined)
  }
}

import Imaging

/// Finds lines of text by their characters: connected strokes of similar height in a row.
///
/// Searches along the rows and the columns of the image. Each finds lines up to a slope of one half, so together they
/// cover most directions.
struct TextLineFinder {
  /// The axis of a set of lines.
  enum Axis: String, Sendable {
    /// Along the rows of the image.
    case rows
    /// Along its columns; coordinates are those of the image turned clockwise by 90 degrees.
    case columns
  }

  /// The lines found along one axis.
  struct LineSet: Sendable {
    var axis: Axis
    var lines: [TextSegment]
    /// Whether any piece of text is bent, as along a curve.
    var isBent: Bool

    /// The amount of text: the number of characters, at most 60 per line because texture makes endless lines.
    var weight: Int { lines.reduce(0) { $0 + min($1.count, 60) } }
  }

  /// Contrast above which a pixel is part of a stroke, as a share of its surroundings.
  var strokeThreshold = 0.07
  /// Range of the longer side of a character's box, in pixels.
  var characterSides = 5...48
  /// Range of capital heights, in pixels.
  var capitalHeights: ClosedRange<Float> = 4...40
  /// Maximum gap within a segment, in pixels.
  var closing = 15

  /// The lines along both axes: rows and columns.
  func lines(in picture: GrayPicture, polarity: StrokePolarity) -> (rows: LineSet, columns: LineSet) {
    let strokes = StrokeMask.make(of: picture, threshold: strokeThreshold, polarity: polarity)
    let characters = CharacterComponents(strokes, sides: characterSides)
    return (set(of: characters, along: .rows), set(of: characters.turnedClockwise(), along: .columns))
  }

  private func set(of characters: CharacterComponents, along axis: Axis) -> LineSet {
    let segments = segments(of: characters)
    return LineSet(
      axis: axis, lines: LineMerging.merged(segments).filter(isLine),
      isBent: segments.contains(where: CurvedLineFinder.isBent))
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

  /// Whether a line is long enough, straight enough, and no denser than text can be.
  private func isLine(_ line: TextSegment) -> Bool {
    line.length >= 7 * line.capitalHeight && line.count >= 6
      && Float(line.count) <= line.length / line.capitalHeight * 2.6 + 4
      && line.residual < 0.3 * line.capitalHeight
  }
}

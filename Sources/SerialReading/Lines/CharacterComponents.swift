import Imaging

/// Connected strokes of the size of characters, with the runs that they are made of.
struct CharacterComponents {
  /// The runs of the kept components only.
  var mask: RunMask
  /// The kept components.
  var components: [Component]
  /// For every run of the mask the index of its component.
  var labels: [Int32]

  /// Keeps components whose longer side is within `sides` pixels and that have at least `leastArea` pixels.
  init(_ strokes: RunMask, sides: ClosedRange<Int>, leastArea: Int = 8) {
    let (all, allLabels) = strokes.components()
    var number = [Int32](repeating: -1, count: all.count)
    components = []
    for (index, component) in all.enumerated()
    where sides.contains(component.longestSide) && component.area >= leastArea {
      number[index] = Int32(components.count)
      components.append(component)
    }
    mask = strokes.filtered { number[Int(allLabels[$0])] >= 0 }
    labels = allLabels.lazy.map { number[Int($0)] }.filter { $0 >= 0 }
  }

  /// The same in the picture turned clockwise by 90 degrees.
  func turnedClockwise() -> CharacterComponents {
    var other = self
    let (turned, origin) = mask.turnedClockwise()
    other.mask = turned
    other.labels = origin.map { labels[Int($0)] }
    let height = mask.height
    other.components = components.map { component in
      Component(
        x: height - (component.y + component.height), y: component.x, width: component.height,
        height: component.width, area: component.area, centroidX: Float(height - 1) - component.centroidY,
        centroidY: component.centroidX)
    }
    return other
  }
}

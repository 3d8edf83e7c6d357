import Imaging

/// Connected strokes of character size, with their runs.
struct CharacterComponents {
  /// The runs of the kept components only.
  var mask: RunMask
  /// The kept components.
  var components: [Component]
  /// The component index of every run of the mask.
  var labels: [Int32]

  /// Keeps the components whose longer side is within `sides` pixels and whose area is at least `leastArea` pixels.
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

  /// The components of the image turned clockwise by 90 degrees.
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

import Imaging

/// Splits strokes that hold several touching characters, so that lines and words can be counted by characters. Bold
/// light print on a lit display glows into its neighbours, and out of focus a whole word is one stroke.
extension CharacterComponents {
  private enum Joined {
    /// Width from which a stroke is several characters, in heights of its columns; a wide `W` has 1.3.
    static let leastWidth = 1.5
    /// Width of a character with its space, in capital heights.
    static let pitch = 0.7
    /// Minimum height of the columns in pixels: lower strokes are dashes and rules.
    static let leastHeight = 6
    /// Share of its columns' boxes from which a stroke is an area such as a button or a bar.
    static let mostFilled = 0.97
    /// Maximum distance of the thinnest column from an equal division, in widths of a part.
    static let reach = 0.35
  }

  /// A copy in which strokes wider than a character are cut at their thinnest columns.
  func withJoinedParted(sides: ClosedRange<Int>) -> CharacterComponents {
    let wide = components.indices.filter {
      components[$0].width >= Int(Joined.leastWidth * Double(Joined.leastHeight))
        && components[$0].width > components[$0].height
    }
    guard !wide.isEmpty else { return self }
    var runs = [[RunMask.Run]](repeating: [], count: components.count)
    for (index, run) in mask.runs.enumerated() { runs[Int(labels[index])].append(run) }
    let cuts = Dictionary(uniqueKeysWithValues: wide.map { ($0, Self.cuts(of: components[$0], runs[$0])) })
    guard cuts.values.contains(where: { !$0.isEmpty }) else { return self }
    let parted = mask.runs.enumerated().flatMap { index, run in
      Self.parts(of: run, at: cuts[Int(labels[index])] ?? [])
    }
    return CharacterComponents(RunMask(width: mask.width, height: mask.height, runs: parted), sides: sides)
  }

  /// The columns at which a stroke is cut.
  private static func cuts(of component: Component, _ runs: [RunMask.Run]) -> [Int32] {
    var ink = [Int](repeating: 0, count: component.width)
    var (first, last) = (
      [Int32](repeating: .max, count: component.width), [Int32](repeating: -1, count: component.width)
    )
    for run in runs {
      for x in Int(run.start) - component.x..<Int(run.end) - component.x {
        ink[x] += 1
        first[x] = min(first[x], run.row)
        last[x] = max(last[x], run.row)
      }
    }
    let heights = zip(first, last).filter { $1 >= 0 }.map { Float($1 - $0 + 1) }
    let height = Double(Statistics.percentile(heights, 70))
    let filled = Double(component.area) / Double(max(1, heights.reduce(0, +)))
    let count = Int((Double(component.width) / (Joined.pitch * height)).rounded())
    guard height >= Double(Joined.leastHeight), Double(component.width) >= Joined.leastWidth * height, count > 1,
      filled < Joined.mostFilled
    else { return [] }
    let width = Double(component.width) / Double(count)
    return (1..<count).map { part in
      let (middle, reach) = (Double(part) * width, Joined.reach * width)
      let near = max(1, Int(middle - reach))...min(component.width - 2, max(1, Int(middle + reach)))
      return Int32(component.x + (near.min { ink[$0] < ink[$1] } ?? Int(middle)))
    }
  }

  /// A run without the pixels at the cuts, so that its parts don't touch.
  private static func parts(of run: RunMask.Run, at cuts: [Int32]) -> [RunMask.Run] {
    var parts: [RunMask.Run] = []
    var start = run.start
    for cut in cuts where cut >= start && cut < run.end {
      if cut > start { parts.append(RunMask.Run(row: run.row, start: start, end: cut)) }
      start = cut + 1
    }
    if start < run.end { parts.append(RunMask.Run(row: run.row, start: start, end: run.end)) }
    return parts
  }
}

/// Matches the features of two images.
enum DescriptorMatching {
  /// Maximum number of differing comparisons in a match.
  static let farthest = 72
  /// Maximum distance of the nearest as a share of the second nearest.
  static let ratio = 0.82

  /// Pairs of indices, first into `known`, then into `seen`.
  static func matches(_ known: [Descriptor], _ seen: [Descriptor]) -> [(known: Int, seen: Int)] {
    guard seen.count >= 2 else { return [] }
    var pairs: [(known: Int, seen: Int)] = []
    seen.withUnsafeBufferPointer { seen in
      for (index, descriptor) in known.enumerated() {
        var (nearest, second, place) = (257, 257, 0)
        for other in 0..<seen.count {
          let distance = descriptor.distance(to: seen[other])
          if distance < nearest {
            second = nearest
            nearest = distance
            place = other
          } else if distance < second {
            second = distance
          }
        }
        if nearest < farthest, Double(nearest) < ratio * Double(second) { pairs.append((index, place)) }
      }
    }
    return pairs
  }
}

/// Matches the features of two images.
package enum DescriptorMatching {
  /// Maximum number of differing comparisons in a match.
  package static let farthest = 72
  /// Maximum distance of the nearest as a share of the second nearest.
  package static let ratio = 0.82
  /// Number of descriptors in `seen` that are compared: the index of a block of sixteen must fit in a byte.
  private static let limit = 255 * 16
  private static let lanes = 16

  private typealias Bytes = SIMD16<UInt8>

  /// A pair of indices into `known` and `seen`, and the distance of the descriptors.
  package struct Match {
    package var known: Int
    package var seen: Int
    package var distance: Int
  }

  /// The nearest descriptor of each known one, if it is near enough and clearly nearer than the second nearest.
  package static func matches(_ known: [Descriptor], _ seen: [Descriptor]) -> [Match] {
    guard seen.count >= 2 else { return [] }
    let blocks = blocks(seen.prefix(limit))
    var matches: [Match] = []
    blocks.withUnsafeBufferPointer { blocks in
      withUnsafeTemporaryAllocation(of: Bytes.self, capacity: Descriptor.byteCount) { bytes in
        guard let blocks = blocks.baseAddress, let bytes = bytes.baseAddress else { return }
        for (index, descriptor) in known.enumerated() {
          for part in 0..<Descriptor.byteCount { bytes[part] = Bytes(repeating: descriptor.byte(part)) }
          let found = nearest(bytes, blocks, count: min(seen.count, limit))
          if found.distance < farthest, Double(found.distance) < ratio * Double(found.second) {
            matches.append(Match(known: index, seen: found.place, distance: found.distance))
          }
        }
      }
    }
    return matches
  }

  /// Descriptors in blocks of sixteen: their first bytes, then their second ones, and so on, so that a vector operation
  /// compares sixteen descriptors.
  private static func blocks(_ descriptors: ArraySlice<Descriptor>) -> [Bytes] {
    let count = (descriptors.count + lanes - 1) / lanes
    var blocks = [Bytes](repeating: Bytes(), count: count * Descriptor.byteCount)
    blocks.withUnsafeMutableBytes { out in
      for (index, descriptor) in descriptors.enumerated() {
        let first = index / lanes * Descriptor.byteCount * lanes + index % lanes
        for part in 0..<Descriptor.byteCount { out[first &+ part &* lanes] = descriptor.byte(part) }
      }
    }
    return blocks
  }

  /// The nearest descriptor, the first of several, and the distance of the second nearest. Distances above 240 may
  /// appear smaller, but not as small as a match.
  private static func nearest(
    _ descriptor: UnsafePointer<Bytes>, _ blocks: UnsafePointer<Bytes>, count: Int
  ) -> (distance: Int, second: Int, place: Int) {
    var (best, second, place) = (Bytes(repeating: 255), Bytes(repeating: 255), Bytes())
    for block in 0..<((count &+ lanes &- 1) / lanes) {
      var distances = distances(descriptor, blocks + block &* Descriptor.byteCount)
      if (block &+ 1) &* lanes > count {
        for lane in (count &- block &* lanes)..<lanes { distances[lane] = 255 }
      }
      let isNearer = distances .< best
      second = least(second, best.replacing(with: distances, where: best .< distances))
      best = least(best, distances)
      place = place.replacing(with: Bytes(repeating: UInt8(truncatingIfNeeded: block)), where: isNearer)
    }
    var (nearest, next, index) = (255, 255, 0)
    for lane in 0..<lanes {
      let (distance, at) = (Int(best[lane]), Int(place[lane]) &* lanes &+ lane)
      if distance < nearest || distance == nearest && at < index {
        next = min(nearest, Int(second[lane]))
        (nearest, index) = (distance, at)
      } else {
        next = min(next, distance)
      }
    }
    return (nearest, next, index)
  }

  /// The number of bits in which a descriptor differs from each of sixteen. Full adders (after Harley and Seal) add up
  /// bits of one value first, which leaves few vectors whose bits must be counted.
  @inline(__always)
  private static func distances(_ descriptor: UnsafePointer<Bytes>, _ block: UnsafePointer<Bytes>) -> Bytes {
    var (ones, twos, fours, eights) = (Bytes(), Bytes(), Bytes(), Bytes())
    let first = eight(descriptor, block, &ones, &twos, &fours)
    let second = eight(descriptor + 8, block + 8, &ones, &twos, &fours)
    let sixteens = add(first, second, to: &eights)
    let third = eight(descriptor + 16, block + 16, &ones, &twos, &fours)
    let fourth = eight(descriptor + 24, block + 24, &ones, &twos, &fours)
    let others = add(third, fourth, to: &eights)
    let high = least(bitCount(sixteens) &+ bitCount(others), Bytes(repeating: 15))
    // Doubling instead of multiplying: bytes have no vector multiplication.
    return double(double(double(double(high) &+ bitCount(eights)) &+ bitCount(fours)) &+ bitCount(twos))
      &+ bitCount(ones)
  }

  /// Adds the differing bits of eight bytes; returns the carry, which counts eight.
  @inline(__always)
  private static func eight(
    _ a: UnsafePointer<Bytes>, _ b: UnsafePointer<Bytes>, _ ones: inout Bytes, _ twos: inout Bytes,
    _ fours: inout Bytes
  ) -> Bytes {
    let firstTwo = add(a[0] ^ b[0], a[1] ^ b[1], to: &ones)
    let firstFour = add(firstTwo, add(a[2] ^ b[2], a[3] ^ b[3], to: &ones), to: &twos)
    let secondTwo = add(a[4] ^ b[4], a[5] ^ b[5], to: &ones)
    let secondFour = add(secondTwo, add(a[6] ^ b[6], a[7] ^ b[7], to: &ones), to: &twos)
    return add(firstFour, secondFour, to: &fours)
  }

  /// Adds two bits to a sum, for each bit of the vectors; returns the carry.
  @inline(__always)
  private static func add(_ a: Bytes, _ b: Bytes, to sum: inout Bytes) -> Bytes {
    let differing = a ^ b
    let carry = (a & b) | (differing & sum)
    sum ^= differing
    return carry
  }

  @inline(__always)
  private static func double(_ bytes: Bytes) -> Bytes { bytes &+ bytes }

  /// The number of bits of each byte.
  @inline(__always)
  private static func bitCount(_ bytes: Bytes) -> Bytes {
    let pairs = bytes &- ((bytes &>> 1) & 0x55)
    let halves = (pairs & 0x33) &+ ((pairs &>> 2) & 0x33)
    return (halves &+ (halves &>> 4)) & 0x0F
  }

  @inline(__always)
  private static func least(_ a: Bytes, _ b: Bytes) -> Bytes { a.replacing(with: b, where: b .< a) }
}

import Imaging

/// Looks for what only codes have, along a picture's rows and columns: bars, the finder patterns of QR codes, and the
/// clock tracks of Data Matrix codes.
///
/// Costs a fraction of a search by ZXing or zbar, which therefore search only regions and pictures with such a pattern.
/// Finds bars up to about 20 degrees off the rows or columns.
package enum CodePatterns {
  /// Distance of the rows that are examined, in pixels.
  private static let step = 8
  /// Number of rows, a multiple of `step`, between two that cross the same bars, twice, and the greatest shift of the bars from the first to the
  /// last row, in pixels. Rows that cross text have different edges.
  private static let (band, mostShift) = (8, 6)
  /// Least change of gray values, from a pixel's left to its right neighbour, that is an edge.
  private static let leastEdge = 24
  /// Number of consecutive edges, and of those among them that all rows have, of a linear code: the shortest serial has
  /// 80 edges.
  private static let (edges, leastShared) = (24, 18)
  /// Widths of a finder pattern's five runs in modules (ISO/IEC 18004), and the greatest difference of a run in modules.
  private static let (finder, tolerance): ([Float], Float) = ([1, 1, 3, 1, 1], 0.6)
  /// Least width of a module in pixels.
  private static let leastModule: Float = 1.2

  /// Number of consecutive modules, dark and light in turn, of a clock track (ISO/IEC 16022: ten in the smallest code),
  /// and the greatest difference of one, as a share of their mean.
  private static let (track, unevenness): (Int, Float) = (9, 0.4)

  /// Whether a picture has such a pattern.
  ///
  /// - Parameter orTracks: Whether clock tracks count too. Print has some that look alike.
  package static func stand(in picture: GrayPicture, orTracks: Bool = false) -> Bool {
    stand(alongRowsOf: picture, orTracks) || stand(alongRowsOf: picture.turnedClockwise(), orTracks)
  }

  private static func stand(alongRowsOf picture: GrayPicture, _ orTracks: Bool) -> Bool {
    // A track is one module high.
    let step = orTracks ? 2 : step
    let rows = stride(from: 0, to: picture.height, by: step).map { Edges(of: picture, row: $0) }
    let apart = band / step
    return rows.indices.dropLast(2 * apart).contains { index in
      let row = rows[index]
      return row.showBars(with: rows[index + apart], rows[index + 2 * apart])
        || row.finders.contains { isFinder($0, in: picture, row: index * step) } || (orTracks && row.showTrack)
    }
  }

  /// Whether the column through the middle of what looks like a finder pattern in a row shows one too.
  private static func isFinder(_ found: Finder, in picture: GrayPicture, row: Int) -> Bool {
    let reach = Int(found.module * finder.reduce(0, +))
    let rows = max(0, row - reach)..<min(picture.height, row + reach + 1)
    return Edges(of: picture, column: found.middle, rows: rows).finders.contains { other in
      abs(Float(rows.lowerBound + other.middle - row)) <= 2 * found.module
        && abs(other.module - found.module) <= tolerance * found.module
    }
  }

  /// A finder pattern along a line: its middle, and the width of a module, in pixels.
  private struct Finder {
    var middle: Int
    var module: Float
  }

  /// The changes between dark and light along a row or column.
  private struct Edges {
    /// Their places, from dark to light and from light to dark in turn.
    private var places: [Int] = []
    /// The direction at each pixel: 1 from dark to light, -1 from light to dark, 0 where nothing changes.
    private var directions: [Int8]

    init(of picture: GrayPicture, row: Int) {
      self.init(picture.pixels, from: row * picture.width, step: 1, count: picture.width)
    }

    init(of picture: GrayPicture, column: Int, rows: Range<Int>) {
      self.init(
        picture.pixels, from: rows.lowerBound * picture.width + column, step: picture.width, count: rows.count)
    }

    private init(_ pixels: [UInt8], from start: Int, step: Int, count: Int) {
      directions = [Int8](repeating: 0, count: count)
      guard count > 2 else { return }
      pixels.withUnsafeBufferPointer { pixels in
        var last: Int8 = 0
        for place in 1..<count - 1 {
          let at = start + place * step
          let change = Int(pixels[at + step]) - Int(pixels[at - step])
          guard abs(change) > leastEdge else { continue }
          directions[place] = change > 0 ? 1 : -1
          if directions[place] != last {
            places.append(place)
            last = directions[place]
          }
        }
      }
    }

    /// Whether three rows cross the same bars.
    func showBars(with middle: Edges, _ last: Edges) -> Bool {
      stride(from: 0, through: places.count - edges, by: edges / 2).contains { first in
        let part = places[first..<first + edges]
        return (-mostShift...mostShift).contains { shift in
          part.count {
            middle.has(directions[$0], near: $0 + shift / 2) && last.has(directions[$0], near: $0 + shift)
          } >= leastShared
        }
      }
    }

    private func has(_ direction: Int8, near place: Int) -> Bool {
      directions.indices.clamped(to: place - 1..<place + 2).contains { directions[$0] == direction }
    }

    /// Whether the row runs along a clock track.
    var showTrack: Bool {
      places.indices.dropLast(track).contains { first in
        let mean = Float(places[first + track] - places[first]) / Float(track)
        return mean >= leastModule
          && (first..<first + track).allSatisfy {
            abs(Float(places[$0 + 1] - places[$0]) - mean) <= unevenness * mean
          }
      }
    }

    /// What looks like a finder pattern, dark or light.
    var finders: [Finder] {
      places.indices.dropLast(finder.count).compactMap { first in
        let (left, right) = (places[first], places[first + finder.count])
        let module = Float(right - left) / finder.reduce(0, +)
        guard module >= leastModule else { return nil }
        let isAlike = finder.indices.allSatisfy { index in
          let run = Float(places[first + index + 1] - places[first + index])
          return abs(run - finder[index] * module) <= tolerance * module
        }
        return isAlike ? Finder(middle: (left + right) / 2, module: module) : nil
      }
    }
  }
}

import Foundation
import Tracking

/// Frames of a textured card at a known place on a textured background.
struct SyntheticVideo {
  var width = 640
  var height = 360
  /// The card's size in its own pixels.
  var cardWidth = 200
  var cardHeight = 120
  /// Seeds the card's print.
  var print: UInt64 = 7
  /// Amplitude of the background's texture.
  var ground = 20.0

  /// A card's place: turned around its centre, then moved.
  struct Place {
    var center: SIMD2<Double>
    var turn = 0.0
    var zoom = 1.0
    var light = 1.0
    var isCovered = false
    /// The share of the card's height that is visible: tilted around its middle line, without perspective.
    var tilt = 1.0
    /// Reach of the blur in pixels to each side.
    var blur = 0
  }

  /// A frame with the card at a place, or without a card if `place` is nil.
  func frame(_ place: Place?, scale: Double = 1) -> TrackingFrame { frame(place.map { [$0] } ?? [], scale: scale) }

  /// A frame with the same card at several places, later ones on top.
  func frame(_ places: [Place], scale: Double = 1) -> TrackingFrame {
    let (w, h) = (Int(Double(width) * scale), Int(Double(height) * scale))
    var gray = [UInt8](repeating: 0, count: w * h)
    for y in 0..<h {
      for x in 0..<w {
        let point = SIMD2((Double(x) + 0.5) / scale, (Double(y) + 0.5) / scale)
        var value = 120 + ground * Self.texture(point, seed: 3)
        for place in places where !place.isCovered {
          if let card = cardPoint(point, place) { value = (140 + 80 * Self.texture(card, seed: print)) * place.light }
        }
        gray[y * w + x] = UInt8(min(max(value, 0), 255))
      }
    }
    for _ in 0..<2 { gray = Self.smeared(gray, w, h, places.map(\.blur).max() ?? 0) }
    return TrackingFrame(width: w, height: h, gray: gray, fullWidth: w, fullHeight: h)!
  }

  private static func smeared(_ gray: [UInt8], _ width: Int, _ height: Int, _ reach: Int) -> [UInt8] {
    guard reach > 0 else { return gray }
    func smeared(_ values: [UInt8], count: Int, step: Int, lines: Int, lineStep: Int) -> [UInt8] {
      var result = values
      for line in 0..<lines {
        func at(_ i: Int) -> Int { Int(values[line * lineStep + min(max(i, 0), count - 1) * step]) }
        var sum = (-reach...reach).reduce(0) { $0 + at($1) }
        for i in 0..<count {
          result[line * lineStep + i * step] = UInt8(sum / (2 * reach + 1))
          sum += at(i + reach + 1) - at(i - reach)
        }
      }
      return result
    }
    let across = smeared(gray, count: width, step: 1, lines: height, lineStep: width)
    return smeared(across, count: height, step: width, lines: width, lineStep: 1)
  }

  /// The card's upright bounds at a place.
  func box(_ place: Place) -> Box {
    let (c, s) = (cos(place.turn) * place.zoom, sin(place.turn) * place.zoom)
    let (a, b) = (Double(cardWidth) / 2, Double(cardHeight) / 2)
    let half = SIMD2(abs(c) * a + abs(s) * b, (abs(s) * a + abs(c) * b) * place.tilt)
    return Box(
      x0: place.center.x - half.x, y0: place.center.y - half.y, x1: place.center.x + half.x,
      y1: place.center.y + half.y)
  }

  private func cardPoint(_ point: SIMD2<Double>, _ place: Place) -> SIMD2<Double>? {
    let way = (point - place.center) / place.zoom / SIMD2(1, place.tilt)
    let (c, s) = (cos(place.turn), sin(place.turn))
    let card = SIMD2(c * way.x + s * way.y + Double(cardWidth) / 2, c * way.y - s * way.x + Double(cardHeight) / 2)
    return card.x >= 0 && card.y >= 0 && card.x < Double(cardWidth) && card.y < Double(cardHeight) ? card : nil
  }

  /// Smooth random values, -1...1, with detail of some pixels.
  private static func texture(_ p: SIMD2<Double>, seed: UInt64) -> Double {
    0.6 * lattice(p / 9, seed) + 0.4 * lattice(p / 4.3, seed &+ 1)
  }

  private static func lattice(_ p: SIMD2<Double>, _ seed: UInt64) -> Double {
    let (x, y) = (p.x.rounded(.down), p.y.rounded(.down))
    let (fx, fy) = (p.x - x, p.y - y)
    func value(_ i: Double, _ j: Double) -> Double {
      var h = UInt64(bitPattern: Int64(x + i)) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: Int64(y + j))
      h = (h ^ seed) &* 0xBF58_476D_1CE4_E5B9
      h ^= h >> 29
      h = h &* 0x94D0_49BB_1331_11EB
      return Double(h >> 40) / Double(1 << 23) - 1
    }
    let upper = value(0, 0) + (value(1, 0) - value(0, 0)) * fx
    let lower = value(0, 1) + (value(1, 1) - value(0, 1)) * fx
    return upper + (lower - upper) * fy
  }
}

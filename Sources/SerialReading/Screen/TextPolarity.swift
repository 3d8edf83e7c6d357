import Imaging

/// Estimates whether an image's text is dark on light or light on dark, from its strokes of both polarities.
///
/// Thin light text barely brightens the mean of its surroundings, so around it more pixels count as dark strokes than
/// it has itself: a surplus of dark pixels indicates light text.
struct TextPolarity {
  /// Dark stroke pixels per light one.
  let ratio: Double
  /// Whether the image has strokes.
  let hasStrokes: Bool
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
  ///   - picture: The image.
  ///   - inNoise: Whether the photo's noise stands out from its background.
  init(of picture: GrayPicture, inNoise: Bool) {
    let dark = StrokeMask.make(of: picture, threshold: Self.threshold, polarity: .dark).area
    let light = StrokeMask.make(of: picture, threshold: Self.threshold, polarity: .light).area
    ratio = Double(dark + 1) / Double(light + 1)
    self.inNoise = inNoise
    hasStrokes = Double(dark + light) >= Self.leastShare * Double(picture.width * picture.height)
  }

  private var isLight: Bool { ratio >= Self.lightTextRatio }

  /// The strokes of most text; nil for a flat image.
  var main: DisplayLineFinder? {
    guard hasStrokes else { return nil }
    return isLight ? finder(Self.strongThreshold, .light) : finder(Self.threshold, .dark)
  }

  /// The same polarity at the other contrast.
  var mainOtherContrast: DisplayLineFinder? {
    guard hasStrokes else { return nil }
    return isLight
      ? finder(Self.glowThreshold, .light, partsJoined: true)
      : finder(Self.strongThreshold, .dark, partsJoined: true)
  }

  /// The other polarity.
  var other: DisplayLineFinder? {
    guard hasStrokes else { return nil }
    return finder(Self.strongThreshold, isLight ? .dark : .light, partsJoined: true)
  }

  private func finder(
    _ threshold: Double, _ polarity: StrokePolarity, partsJoined: Bool = false
  ) -> DisplayLineFinder {
    DisplayLineFinder(
      threshold: threshold, polarity: polarity, leastGround: inNoise ? Self.black.noisy : Self.black.even,
      partsJoined: partsJoined)
  }
}

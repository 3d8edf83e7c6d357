import Imaging

/// Whether a picture's text seems to be dark on light or light on dark, from its strokes of either kind.
///
/// Light text darkens the mean of its own surroundings least where it is thin, so that around it more pixels count as
/// dark strokes than it has itself: a surplus of dark pixels speaks for light text.
struct TextPolarity {
  /// Dark strokes for each light one, by pixels.
  let ratio: Double
  /// Whether there are strokes at all.
  let hasStrokes: Bool
  /// Whether noise stands out from its ground.
  private let inNoise: Bool

  private static let threshold = 0.07
  /// Ratio above which text is taken as light on dark.
  private static let lightTextRatio = 1.2
  /// Contrast of light strokes, whose surroundings glow.
  private static let strongThreshold = 0.15
  /// Contrast of light strokes on black, where the glow between letters is strong too.
  private static let glowThreshold = 0.45
  /// Brightness up to which black is taken as even, in a picture without noise and in one with: noise stands out from black most.
  private static let black = (even: 8, noisy: 24)
  /// Less than this share of stroke pixels is a flat picture.
  private static let leastShare = 0.004

  /// Measures a picture, of a photo in which noise stands out from its ground or not.
  init(of picture: GrayPicture, inNoise: Bool) {
    let dark = StrokeMask.make(of: picture, threshold: Self.threshold, polarity: .dark).area
    let light = StrokeMask.make(of: picture, threshold: Self.threshold, polarity: .light).area
    ratio = Double(dark + 1) / Double(light + 1)
    self.inNoise = inNoise
    hasStrokes = Double(dark + light) >= Self.leastShare * Double(picture.width * picture.height)
  }

  private var isLight: Bool { ratio >= Self.lightTextRatio }

  /// The strokes most text has; nil in a flat picture.
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

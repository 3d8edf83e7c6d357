import ScanModel

/// Reads tiny gray text on metal or plastic, found as collinear strokes.
struct EtchedReader: PresetReader {
  let preset = Preset.etched

  let strategies: [any ReadingStrategy] = [
    EtchedTextStrategy(name: "text", activity: "Reading the lines", change: .none, polarity: .dark),
    BarcodeStrategy(),
    EtchedTextStrategy(
      name: "text-light", activity: "Reading light text", change: .none, polarity: .light, contrast: 2,
      readsOwnStrokes: true),
    EtchedTextStrategy(
      name: "text-light-faint", activity: "Reading faint light text", change: .none, polarity: .light),
    EtchedTextStrategy(
      name: "text-half-size", activity: "Reading large text", change: .scale(0.5), polarity: .dark,
      faintContrast: 0.6),
    CurvedTextStrategy(),
    EtchedTextStrategy(
      name: "text-rotated-clockwise", activity: "Reading tilted text", change: .rotate(30), polarity: .dark),
    EtchedTextStrategy(
      name: "text-rotated-anticlockwise", activity: "Reading tilted text", change: .rotate(-30), polarity: .dark),
  ]
}

import ScanModel

/// Reads rows of label and value on a lit display, dark on light or light on dark.
struct ScreenReader: PresetReader {
  let preset = Preset.screen

  let strategies: [any ReadingStrategy] = [
    RowsStrategy(name: "rows", activity: "Reading the rows", strokes: .main),
    LabelStrategy(readsCodes: false),
    SlantedRowsStrategy(),
    BesideLabelStrategy(),
    BesideValueStrategy(),
    RowsStrategy(name: "rows-inverted", activity: "Reading rows of the other polarity", strokes: .other),
    RowsStrategy(name: "rows-contrast", activity: "Reading fainter and bolder rows", strokes: .mainOtherContrast),
    BarcodeStrategy(),
    BesideLabelStrategy(),
    BesideValueStrategy(),
  ]
}

import ScanModel

/// Reads printed labels, boxes and asset stickers: their codes first, then the print.
struct StickerReader: PresetReader {
  let preset = Preset.sticker

  let strategies: [any ReadingStrategy] = [
    BarcodeStrategy(),
    LabelStrategy(),
    RowsStrategy(name: "rows", activity: "Reading the print", strokes: .main),
    BesideLabelStrategy(),
    BesideValueStrategy(),
    RowsStrategy(name: "rows-contrast", activity: "Reading fainter and bolder print", strokes: .mainOtherContrast),
    SlantedRowsStrategy(),
    RowsStrategy(name: "rows-inverted", activity: "Reading light print", strokes: .other),
    BarcodeStrategy(scope: .regions),
    BesideLabelStrategy(),
    BesideValueStrategy(),
  ]
}

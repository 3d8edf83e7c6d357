import ScanModel
import SerialReading
import Testing

/// The order in which strategies run, for each surface.
struct ScheduleTests {
  private static let beside = ["beside-label", "beside-value", "beside-print"]
  private static let etched = [
    "text-light", "text-half-size", "text-curved", "text-rotated-clockwise", "text-rotated-anticlockwise",
  ]
  private static let rows = ["rows-slanted", "rows-inverted", "rows-contrast"]

  @Test func readsLinesFirstForEtchedText() {
    #expect(
      Schedule.names(.etched, isScreen: false, isScreenshot: false)
        == ["text", "barcode", "rows", "label"] + Self.beside + ["rows-enlarged"] + Self.etched
        + Self.rows + ["barcode-regions"] + Self.beside)
  }

  /// Lines in large letters that were read clearly do not rule out small rows beside them, as in a window of a desktop.
  @Test(arguments: Preset.allCases) func linesDoNotRuleOutSmallRows(likeliest: Preset) {
    #expect(Schedule.presets(of: "rows-enlarged", likeliest) == Schedule.presets(of: "rows", likeliest))
    #expect(Schedule.presets(of: "rows-enlarged", likeliest).isDisjoint(with: Schedule.presets(of: "text", likeliest)))
  }

  @Test func readsRowsFirstForDisplays() {
    #expect(
      Schedule.names(.screen, isScreen: true, isScreenshot: false)
        == ["rows", "barcode", "text", "label"] + Self.beside + ["rows-enlarged"] + Self.rows
        + Self.etched + ["barcode-regions"] + Self.beside)
  }

  @Test func readsRowsOfBothPolaritiesFirstInScreenshots() {
    #expect(
      Schedule.names(.screen, isScreen: true, isScreenshot: true)
        == ["rows", "rows-enlarged", "barcode", "rows-inverted"] + Self.beside + ["rows-slanted", "rows-contrast"]
        + ["text", "label"] + Self.etched + ["barcode-regions"] + Self.beside)
  }

  @Test func readsCodesFirstForLabels() {
    #expect(
      Schedule.names(.sticker, isScreen: false, isScreenshot: false)
        == ["barcode", "label", "text", "rows"] + Self.beside + ["rows-enlarged"]
        + ["rows-contrast", "rows-slanted", "rows-inverted", "barcode-regions"] + Self.etched + Self.beside)
  }

  @Test(arguments: [false, true]) func readsTheLikelierOfLinesAndRowsFirstAfterLabels(isScreen: Bool) {
    let names = Schedule.names(.sticker, isScreen: isScreen, isScreenshot: false)
    #expect(names[2...3] == (isScreen ? ["rows", "text"] : ["text", "rows"]))
  }
}

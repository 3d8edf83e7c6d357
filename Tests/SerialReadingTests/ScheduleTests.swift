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
      Self.names(.etched, isScreen: false, isScreenshot: false)
        == ["text", "barcode", "rows", "label"] + Self.beside + ["rows-enlarged"] + Self.etched
        + Self.rows + ["barcode-regions"] + Self.beside)
  }

  /// Lines in large letters that were read clearly do not rule out small rows beside them, as in a window of a desktop.
  @Test(arguments: Preset.allCases) func linesDoNotRuleOutSmallRows(likeliest: Preset) {
    #expect(Self.presets(of: "rows-enlarged", likeliest) == Self.presets(of: "rows", likeliest))
    #expect(Self.presets(of: "rows-enlarged", likeliest).isDisjoint(with: Self.presets(of: "text", likeliest)))
  }

  @Test func readsRowsFirstForDisplays() {
    #expect(
      Self.names(.screen, isScreen: true, isScreenshot: false)
        == ["rows", "barcode", "text", "label"] + Self.beside + ["rows-enlarged"] + Self.rows
        + Self.etched + ["barcode-regions"] + Self.beside)
  }

  @Test func readsRowsOfBothPolaritiesFirstInScreenshots() {
    #expect(
      Self.names(.screen, isScreen: true, isScreenshot: true)
        == ["rows", "rows-enlarged", "barcode", "rows-inverted"] + Self.beside + ["rows-slanted", "rows-contrast"]
        + ["text", "label"] + Self.etched + ["barcode-regions"] + Self.beside)
  }

  @Test func readsCodesFirstForLabels() {
    #expect(
      Self.names(.sticker, isScreen: false, isScreenshot: false)
        == ["barcode", "label", "text", "rows"] + Self.beside + ["rows-enlarged"]
        + ["rows-contrast", "rows-slanted", "rows-inverted", "barcode-regions"] + Self.etched + Self.beside)
  }

  @Test(arguments: [false, true]) func readsTheLikelierOfLinesAndRowsFirstAfterLabels(isScreen: Bool) {
    let names = Self.names(.sticker, isScreen: isScreen, isScreenshot: false)
    #expect(names[2...3] == (isScreen ? ["rows", "text"] : ["text", "rows"]))
  }

  private static func names(_ likeliest: Preset, isScreen: Bool, isScreenshot: Bool) -> [String] {
    Schedule.steps(likeliest, isScreen: isScreen, isScreenshot: isScreenshot).map(\.name)
  }

  /// The presets of the steps with a strategy: what reads all text by one of these presets rules the strategy out.
  private static func presets(of strategy: String, _ likeliest: Preset) -> Set<Preset> {
    Set(
      Schedule.steps(likeliest, isScreen: false, isScreenshot: false).filter { $0.name == strategy }.map(\.preset))
  }
}

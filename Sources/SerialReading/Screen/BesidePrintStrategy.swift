import Imaging
import ScanModel

/// Looks once more around what is printed on a device, where that was read but no serial, and in large photos around small print and codes: at
/// the photo's full resolution, level, and for fainter strokes than the whole picture is searched for.
struct BesidePrintStrategy: ReadingStrategy {
  /// Blocks of print that are looked around, and contrasts at which each is.
  private static let mostBlocks = 2
  private static let mostBlocksOfAll = 8
  private static let mostContrasts = 2
  /// Values that are read at each contrast.
  private static let mostUnits = 8

  let name = "beside-print"
  let activity = "Looking around print and codes"
  let followsUp = true

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    var reads: [LabelledRead] = []
    let prints = context.photo.textSeen.takeNewLandmarks(
      most: context.photo.wantsEverySerial ? Self.mostBlocksOfAll : Self.mostBlocks)
    for print in prints where context.hasTime {
      // Linear codes and moiré read alike from both ends.
      for place in [print, print.reversed] {
        guard let source = try Surroundings.cut(around: place, in: context.photo) else { break }
        let (found, standsOnHead) = read(source, place.polarity, context)
        reads += found
        if !standsOnHead { break }
      }
      if !context.photo.wantsEverySerial, reads.contains(where: \.isSettled) { break }
    }
    return StrategyOutcome(reads, strategy: name, summary: "\(prints.count) blocks")
  }

  /// The serials around a line, at the first contrast that shows one, and whether all that stands there stands on its head.
  private func read(
    _ source: DecodedPicture, _ polarity: StrokePolarity, _ context: ReadingContext
  ) -> (reads: [LabelledRead], standsOnHead: Bool) {
    let crops = CropReader(source: source, polarity: polarity, in: context, isNoted: true)
    for threshold in Surroundings.contrasts(polarity).prefix(Self.mostContrasts) {
      let finder = DisplayLineFinder(threshold: threshold, polarity: polarity)
      var pass = UnitPass(
        lines: finder.levelLines(in: source.picture), crops: crops, textSeen: context.photo.textSeen,
        timer: context.timer, mostUnits: Self.mostUnits)
      let outcome = pass.run(doubtsDirection: true)
      if outcome.standsOnHead { return ([], true) }
      if !outcome.reads.isEmpty { return (outcome.reads, false) }
    }
    return ([], false)
  }
}

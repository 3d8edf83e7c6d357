import Imaging
import ScanModel

/// Searches again around device print that was read without a serial, and in large photos around small print and codes:
/// at the photo's full resolution, level, and for fainter strokes than in the whole image.
struct BesidePrintStrategy: ReadingStrategy {
  /// Maximum number of blocks of print (one serial sought, all sought), and of contrasts tried for each.
  private static let mostBlocks = 2
  private static let mostBlocksOfAll = 8
  private static let mostContrasts = 2
  /// Maximum number of values read at each contrast.
  private static let mostUnits = 8

  let name = "beside-print"
  let activity = "Looking around print and codes"
  let followsUp = true

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    var reads: [LabelledRead] = []
    let prints = context.photo.textSeen.takeNewLandmarks(
      most: context.photo.wantsEverySerial ? Self.mostBlocksOfAll : Self.mostBlocks)
    for print in prints where context.hasTime {
      // Linear codes and moiré read alike in both directions.
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

  /// The serials around a line, at the first contrast that shows one, and whether the text there is upside down.
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

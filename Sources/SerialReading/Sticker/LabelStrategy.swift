import BarcodeReading
import Imaging
import ScanModel

/// Reads the most prominent label of a photo, turned level and enlarged: first its codes, then its print.
///
/// Skips a photo whose label is level and fills it, since other strategies read that as it is.
struct LabelStrategy: ReadingStrategy {
  let name = "label"
  let activity = "Turning the label level"

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    guard let view = try LabelView(of: context.photo) else {
      return StrategyOutcome(summary: "the label is level and fills the photo")
    }
    let turned = "turned by \(Int(view.degrees.rounded())) degrees, enlarged \(Int(view.scale * 10)) tenths"
    let source = view.picture
    let codes = BarcodeReader().codes(in: source.picture)
    context.photo.textSeen.note(codes, source.toUploaded)
    var candidates = BarcodeStrategy.candidates(SerialCodes.serials(in: codes), source.toUploaded, strategy: name)
    if !context.photo.wantsEverySerial, candidates.contains(where: { $0.confidence >= 0.95 }) {
      return StrategyOutcome(candidates: candidates, summary: "\(turned), \(codes.count) codes")
    }
    let polarity = try TextPolarity(of: source.picture, inNoise: context.photo.isNoisy())
    var rows = LabelledTextPass.Outcome()
    for finder in [polarity.main, polarity.mainOtherContrast].compactMap({ $0 }) {
      let pass = LabelledTextPass(
        finder: finder, engine: context.engine, observer: context.observer, timer: context.timer, cut: .never,
        textSeen: context.photo.textSeen, wantsEverySerial: context.photo.wantsEverySerial)
      let outcome = try pass.run(source)
      rows.lines += outcome.lines
      rows.linesRead += outcome.linesRead
      rows.reads += outcome.reads
      // Print that was read upright would not read differently at another contrast.
      let isRead = outcome.knownLabels > 0 && outcome.otherWords >= 3
      if isRead || outcome.reads.contains(where: { $0.label.announcesSerial }) || !context.hasTime { break }
    }
    candidates += rows.reads.map { $0.candidate(strategy: name) }
    return StrategyOutcome(
      candidates: candidates.sorted { $0.confidence > $1.confidence },
      summary: "\(turned), \(codes.count) codes, \(rows.lines) lines, \(rows.linesRead) read")
  }
}

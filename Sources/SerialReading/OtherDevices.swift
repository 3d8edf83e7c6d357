import BarcodeReading
import Imaging
import ScanModel

/// Looks through the whole picture for large codes, once a text is accepted: another one's serial is another device's.
///
/// At half the size and with one library: whoever accepts a text looks for codes that stand out.
struct OtherCodesStrategy: ReadingStrategy {
  let name = "other-codes"
  let activity = "Looking for other devices' codes"
  let readsText = false

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    let source = try context.photo.reduced(toSide: Photo.workingSide)
    let codes = BarcodeReader().largeCodes(in: source.picture)
    context.photo.textSeen.note(codes, source.toUploaded)
    return StrategyOutcome(
      candidates: BarcodeStrategy.candidates(SerialCodes.serials(in: codes), source.toUploaded, strategy: name),
      summary: "\(codes.count) codes")
  }
}

/// Looks beside labels that announce none of the serials that were read, once one is accepted.
struct OtherLabelsStrategy: ReadingStrategy {
  /// The labels.
  let labels: [LabelSighting]

  let name = "other-labels"
  let activity = "Looking beside other labels"

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    let reads = try BesideLabelStrategy().reads(beside: labels, context)
    return StrategyOutcome(reads, strategy: name, summary: "\(labels.count) labels")
  }
}

extension SerialRead {
  /// The same read in the whole photo, given one in what is read of it.
  func placed(in photo: Photo) -> SerialRead {
    var placed = self
    placed.region = region.map(photo.placed)
    placed.places = places?.map(photo.placed)
    return placed
  }

  /// A sentence for a person about another device's serial, and where it stands in the upright photo.
  func note(in photo: Photo) -> String {
    "Another serial number, \(serial), was seen\(region.flatMap(photo.whereabouts).map { " \($0)" } ?? ""): "
      + "check which belongs to the device."
  }
}

extension Photo {
  /// Where a place of the whole photo lies in it as it stands upright: `at the upper left`; nil where it has none.
  func whereabouts(_ region: Quadrilateral) -> String? {
    guard region.corners.count == 4, let upright = file.uploadedFromUpright.inverse else { return nil }
    let count = Double(region.corners.count)
    let middle = upright.apply(
      region.corners.reduce(0) { $0 + $1.x } / count, region.corners.reduce(0) { $0 + $1.y } / count)
    func third(_ place: Double, _ side: Int, _ names: [String]) -> String {
      names[place < Double(side) / 3 ? 0 : place < Double(side) * 2 / 3 ? 1 : 2]
    }
    let down = third(middle.y, file.uprightHeight, ["upper ", "", "lower "])
    let across = third(middle.x, file.uprightWidth, ["left", "", "right"])
    if across.isEmpty { return down.isEmpty ? "in the middle" : "at the \(down == "upper " ? "top" : "bottom")" }
    return "at the \(down)\(across)"
  }
}

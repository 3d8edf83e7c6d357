import BarcodeReading
import Imaging
import ScanModel

/// Searches the whole picture for large codes once a text is accepted. A code with another serial belongs to another
/// device.
///
/// Searches at half the size and with one library, since only prominent codes matter here.
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

/// Reads next to labels that belong to none of the serials read, once a serial is accepted.
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
  /// Converts the read's place from the read area of a photo to the whole photo.
  func placed(in photo: Photo) -> SerialRead {
    var placed = self
    placed.region = region.map(photo.placed)
    placed.places = places?.map(photo.placed)
    return placed
  }

  /// A note for the user about another device's serial and its position in the upright photo.
  func note(in photo: Photo) -> String {
    "Another serial number, \(serial), was seen\(region.flatMap(photo.whereabouts).map { " \($0)" } ?? ""): "
      + "check which belongs to the device."
  }
}

extension Photo {
  /// The position of a region of the whole photo when upright, such as `at the upper left`; nil for an invalid region.
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

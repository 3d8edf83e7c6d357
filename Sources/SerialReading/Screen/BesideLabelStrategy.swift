import Foundation
import Imaging
import ScanModel

/// Searches again beside labels that other strategies read without finding a value: where a value is expected, fainter
/// strokes are worth reading than in the whole image.
struct BesideLabelStrategy: ReadingStrategy {
  /// Maximum number of labels per photo (one serial sought, all sought), and of values read beside each.
  private static let mostLabels = 3
  private static let mostLabelsOfAll = 32
  private static let mostUnits = 4

  let name = "beside-label"
  let activity = "Looking beside the label"
  let followsUp = true

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    let labels = context.photo.textSeen.takeNewLabels(
      most: context.photo.wantsEverySerial ? Self.mostLabelsOfAll : Self.mostLabels)
    let reads = try self.reads(beside: labels, context)
    return StrategyOutcome(reads, strategy: name, summary: "\(labels.count) labels")
  }

  /// The values beside labels, stopping at the first settled one unless all serials are sought.
  func reads(
    beside labels: [LabelSighting], _ context: ReadingContext
  ) throws(ReadFailure) -> [LabelledRead] {
    var reads: [LabelledRead] = []
    for label in labels {
      for side in Surroundings.Side.allCases where context.hasTime {
        guard let read = try read(side, of: label, context) else { continue }
        reads.append(read)
        break
      }
      if !context.photo.wantsEverySerial, reads.contains(where: \.isSettled) { break }
    }
    return reads
  }

  /// The first value among the words beside a label, at the first contrast that shows one.
  ///
  /// - Parameters:
  ///   - side: The side of the label.
  ///   - label: The label.
  ///   - context: The photo and the recogniser.
  ///   - isTurned: Whether the label's place is already turned toward its value.
  private func read(
    _ side: Surroundings.Side, of label: LabelSighting, _ context: ReadingContext, isTurned: Bool = false
  ) throws(ReadFailure) -> LabelledRead? {
    guard let source = try Surroundings.cut(side, of: label.place, in: context.photo) else { return nil }
    let announcement = Announcement(strengths: label.strengths, relation: side.relation, text: label.text)
    let crops = CropReader(source: source, polarity: label.place.polarity, in: context, isNoted: false)
    var left = Self.mostUnits
    for threshold in Surroundings.contrasts(label.place.polarity) {
      let finder = DisplayLineFinder(threshold: threshold, polarity: label.place.polarity)
      let lines = finder.levelLines(in: source.picture).filter { side.holds($0, in: source.picture) }
      let units = lines.indices.flatMap { WordUnit.units(of: lines[$0], at: $0) }
        .filter { Self.isFirst($0, in: lines) }.sorted { $0.likeness > $1.likeness }
      for unit in units.prefix(left) {
        left -= 1
        let leaves = Self.leaves(source.picture, unit, in: lines[unit.line])
        if leaves, !isTurned {
          var turned = label
          turned.place = side.turned(label.place, by: atan(Double(lines[unit.line].slope)))
          return try read(side, of: turned, context, isTurned: true)
        }
        let reading = UnitReader(crops: crops).read(unit, in: lines, places: [], announcedBy: announcement)
        guard var serial = reading.serial else { continue }
        if leaves { serial.note(goesOn: true) }
        return serial
      }
    }
    return nil
  }

  /// Whether a value's line leaves the crop close after the value, as around a ring, so that more of it may follow.
  private static func leaves(_ picture: GrayPicture, _ unit: WordUnit, in line: TextSegment) -> Bool {
    func isInside(_ x: Float) -> Bool {
      let y = line.slope * x + line.offset
      return y > line.capitalHeight / 2 && y < Float(picture.height) - line.capitalHeight / 2
    }
    return isInside(unit.left) && !isInside(unit.right + closeBehind * line.capitalHeight)
  }

  /// Distance after a value at which more of it would stand, in capital heights.
  private static let closeBehind: Float = 1

  /// Whether nothing stands before a unit in its row. Other words would be another label, and the unit that label's
  /// value.
  private static func isFirst(_ unit: WordUnit, in lines: [TextSegment]) -> Bool {
    guard unit.gapBefore == .infinity else { return false }
    let line = lines[unit.line]
    let y = line.slope * unit.left + line.offset
    return !lines.contains { other in
      other.right < unit.left && abs(other.slope * other.right + other.offset - y) < line.capitalHeight
    }
  }
}

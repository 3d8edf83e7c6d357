/// What stands out in a labelled folder, by kind, with how often and the first place. It never changes an accuracy.
public struct LabelWarning: Sendable, Equatable, Codable {
  /// The kinds.
  public enum Code: String, Sendable, Codable, CaseIterable {
    /// A label was written with an `S`, spaces or other separators, and is taken without.
    case normalisedLabel = "normalised_label"
    /// A label has the letter O or I, which no serial has.
    case impossibleLabel = "impossible_label"
    /// A picture has the same label twice; it counts once.
    case duplicateRow = "duplicate_row"
    /// A picture has two labels that differ; it is left out.
    case contradictingRows = "contradicting_rows"
    /// A row has no cell for the serial; it is left out.
    case incompleteRow = "incomplete_row"
    /// A picture of the folder has no label; it is left out.
    case unlabelledPicture = "unlabelled_picture"
  }

  /// What it is.
  public var code: Code
  /// How many rows or pictures.
  public var count: Int
  /// The first of them in a sentence, with its file and line.
  public var detail: String
}

/// Warnings while they are found: of each kind the first one's sentence and their number.
struct LabelWarnings {
  private(set) var all: [LabelWarning] = []

  mutating func add(_ code: LabelWarning.Code, count: Int = 1, _ detail: @autoclosure () -> String) {
    if let index = all.firstIndex(where: { $0.code == code }) {
      all[index].count += count
    } else {
      all.append(LabelWarning(code: code, count: count, detail: detail()))
    }
  }

  mutating func add(_ others: [LabelWarning]) {
    for other in others { add(other.code, count: other.count, other.detail) }
  }
}

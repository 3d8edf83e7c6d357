/// A warning about a labelled folder: its kind, the number of cases, and the first one. Warnings never change the
/// accuracy.
public struct LabelWarning: Sendable, Equatable, Codable {
  /// The kinds of warning.
  public enum Code: String, Sendable, Codable, CaseIterable {
    /// A label contains an `S` prefix, spaces or other separators, which are ignored.
    case normalisedLabel = "normalised_label"
    /// A label is not a serial number, or contains the letter O or I, which serials never contain.
    case impossibleLabel = "impossible_label"
    /// A cell of the column `preset` names no preset; it is ignored.
    case unknownPreset = "unknown_preset"
    /// A picture has the same label twice; it counts once.
    case duplicateRow = "duplicate_row"
    /// A picture has two different labels; it is left out.
    case contradictingRows = "contradicting_rows"
    /// A row has no cell for the serial; it is left out.
    case incompleteRow = "incomplete_row"
    /// A picture in the folder has no label; it is left out.
    case unlabelledPicture = "unlabelled_picture"
  }

  /// The kind.
  public var code: Code
  /// The number of rows or pictures.
  public var count: Int
  /// A sentence about the first case, with its file and line.
  public var detail: String
}

/// Collects warnings: for each kind the sentence of the first case and the number of cases.
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

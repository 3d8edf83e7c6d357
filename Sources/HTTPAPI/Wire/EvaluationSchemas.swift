import Evaluations
import ScanModel

extension EvaluationAnswer: WireType {
  static func schema(in book: SchemaBook) -> Schema {
    book.object(
      "Evaluation", for: Self.self,
      notes: [
        "definitions": .about("What each figure means, by its name."),
        "warnings": .about("Problems of the labels, such as a duplicate row; they change no figure."),
      ]
    ) {
      book.members(of: EvaluationSummary.self) + [
        book.member("dataset", String.self),
        book.member("definitions", [String: String].self),
        book.member("csv_path", String.self),
        book.member("summary_path", String.self),
        book.member("csv_url", String.self),
        book.member("summary_url", String.self),
        book.member("rows", [Evaluation.Row].self),
        book.member("warnings", [LabelWarning].self),
      ]
    }
  }
}

extension EvaluationSummary: WireObject {
  static let wireName = "EvaluationSummary"
}

extension LabelWarning: WireObject {
  static let wireName = "LabelWarning"
}

extension Evaluation.Row: WireType {
  static func schema(in book: SchemaBook) -> Schema {
    book.object(
      "EvaluationRow", for: Self.self,
      notes: [
        "folder": .about("The folder in the dataset; empty for the dataset itself."), "confidence": .share,
        "is_valid": .about("Whether `predicted` has a valid format; false without one."),
      ]
    ) {
      [
        book.member("folder", String.self),
        book.member("filename", String.self),
        book.member("expected", String.self),
        book.member("predicted", String?.self),
        book.member("confidence", Double?.self),
        book.member("is_hit", Bool.self),
        book.member("is_accepted", Bool.self),
        book.member("is_valid", Bool.self),
        book.member("outcome", Evaluation.Outcome.self),
        book.member("method", String?.self),
        book.member("strategy", String?.self),
        book.member("preset", Preset?.self),
        book.member("seconds", Double.self),
        book.member("cpu_seconds", Double.self),
        book.member("error", String?.self),
      ]
    }
  }
}

import AppleSerial
import JobStore
import Logging
import ScanModel

/// What a serial that a person said teaches: its configuration code, and the model that stands beside it.
package struct CodeLesson: Sendable, Equatable {
  /// Three or four characters.
  package var code: String
  /// The model number or identifier beside the serial; nil where none was read surely.
  package var model: String?

  /// Confidence from which a field names the model, 0...1.
  private static let least = 0.97

  /// Nil where the serial has no configuration code.
  package init?(_ serial: String, fields: [FieldRead]?) {
    guard let code = SerialNumber(serial)?.meaning?.configurationCode else { return nil }
    self.code = code
    let names = [DeviceField.Kind.modelNumber, .modelIdentifier].compactMap { kind in
      fields?.first { $0.kind == kind && $0.confidence >= Self.least }?.text
    }
    model = names.first
  }
}

extension ModelCodeStore {
  /// Counts what a saved serial teaches, and takes back what the serial before it did.
  ///
  /// Nothing that was saved depends on it: where the store fails here, the count is lost and the log says so.
  func learn(from saved: SavedSerial, insteadOf earlier: String? = nil, logger: Logger) async {
    guard saved.serial != earlier else { return }
    do {
      if let earlier = earlier.flatMap({ CodeLesson($0, fields: saved.fields) }) {
        try await uncountModelCode(earlier.code, model: earlier.model)
      }
      if let lesson = CodeLesson(saved.serial, fields: saved.fields) {
        try await countModelCode(lesson.code, model: lesson.model)
      }
    } catch {
      logger.warning("a configuration code was not counted", metadata: ["error": "\(error)"])
    }
  }
}

import AppleSerial
import JobStore
import Logging
import ScanModel

/// A configuration code and its model, learned from a serial that a person confirmed.
package struct CodeLesson: Sendable, Equatable {
  /// The code: three or four characters.
  package var code: String
  /// The model number or identifier next to the serial; nil if none was read with enough confidence.
  package var model: String?

  /// The minimum confidence at which a field names the model, 0...1.
  private static let least = 0.97

  /// Creates a lesson; nil if the serial has no configuration code.
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
  /// Counts the lesson of a saved serial, and reverts that of the serial it replaced.
  ///
  /// Saved serials do not depend on it: if the store fails, the count is lost and the failure is logged.
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
      logger.warning(
        "the model code of a saved serial could not be counted; the serial is saved", metadata: ["error": "\(error)"])
    }
  }
}

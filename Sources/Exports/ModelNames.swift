import AppleSerial
import EmbeddedFiles
import ScanModel

/// The model names of `config/models.csv`, embedded when the program was built.
package struct ModelNames: Sendable {
  /// The embedded table.
  package static let shared = ModelNames()

  /// The names by model number and identifier.
  package let table: ModelTable

  private init() {
    let file = serialscan_embedded_models()
    table = ModelTable(
      String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.size), as: UTF8.self))
  }

  /// The minimum confidence at which a model number or identifier names the model, 0...1.
  private static let least = 0.9

  /// Returns the model's name according to its identifier, which is more specific, or its number; nil if neither is
  /// known or confident enough.
  package func name(of fields: [FieldRead]) -> String? {
    for kind in [DeviceField.Kind.modelIdentifier, .modelNumber] {
      let field = fields.first { $0.kind == kind && $0.confidence >= Self.least }
      if let name = field.flatMap({ table.name(of: $0.text) }) { return name }
    }
    return nil
  }
}

import AppleSerial
import EmbeddedFiles
import ScanModel

/// The models' names, as `config/models.csv` had them when the program was built.
package struct ModelNames: Sendable {
  /// The table that is built in.
  package static let shared = ModelNames()

  /// Names by model number and identifier.
  package let table: ModelTable

  private init() {
    let file = serialscan_embedded_models()
    table = ModelTable(
      String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.size), as: UTF8.self))
  }

  /// Confidence from which a model number or identifier names the model, 0...1.
  private static let least = 0.9

  /// The name of the model that fields tell, by its identifier, which says more, or its number; nil where neither is known or sure.
  func name(of fields: [FieldRead]) -> String? {
    for kind in [DeviceField.Kind.modelIdentifier, .modelNumber] {
      let field = fields.first { $0.kind == kind && $0.confidence >= Self.least }
      if let name = field.flatMap({ table.name(of: $0.text) }) { return name }
    }
    return nil
  }
}

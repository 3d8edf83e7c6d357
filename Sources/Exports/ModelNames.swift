import AppleSerial
import EmbeddedFiles
import JobStore
import ScanModel

/// Names the models of devices: by what stands beside a serial, and by the serial's configuration code.
package struct ModelNames: Sendable {
  /// The embedded `config/models.csv`, with the built-in configuration codes.
  package static let shared = ModelNames()

  /// The names by model number and identifier.
  package let table: ModelTable
  /// The names by configuration code; nil for a code of several models.
  private var ofCodes: [String: String?] = [:]

  private init() {
    let file = serialscan_embedded_models()
    table = ModelTable(
      String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.size), as: UTF8.self))
    for (code, models) in ConfigurationCodes.builtIn { ofCodes.updateValue(name(sharedBy: models), forKey: code) }
  }

  /// Returns the names with those of a store's codes, which replace built-in ones. Imported models of a code count
  /// before those that people confirmed.
  package func adding(_ codes: [ModelCode]) -> ModelNames {
    var names = self
    for (code, pairs) in Dictionary(grouping: codes, by: \.code) {
      let imported = pairs.filter(\.isImported)
      let models = Set((imported.isEmpty ? pairs : imported).map(\.model))
      names.ofCodes.updateValue(name(sharedBy: models), forKey: code)
    }
    return names
  }

  /// The minimum confidence at which a model number or identifier names the model, 0...1.
  private static let least = 0.9

  /// Returns the name of a device's model; nil if nothing names it with certainty.
  ///
  /// A model identifier names it most exactly, then a model number, then the serial's configuration code.
  package func name(of serial: String, _ fields: [FieldRead]?) -> String? {
    for kind in [DeviceField.Kind.modelIdentifier, .modelNumber] {
      let field = fields?.first { $0.kind == kind && $0.confidence >= Self.least }
      if let name = field.flatMap({ table.name(of: $0.text) }) { return name }
    }
    return (SerialNumber(serial)?.meaning?.configurationCode).flatMap { ofCodes[$0] ?? nil }
  }

  /// The name that all of these model numbers, identifiers or names have; nil if they differ.
  private func name(sharedBy models: Set<String>) -> String? {
    let names = Set(models.map { table.name(of: $0) ?? $0 })
    return names.count == 1 ? names.first : nil
  }
}

/// A configuration code, the last characters of a serial, and a model it belongs to.
public struct ModelCode: Sendable, Equatable {
  /// The code: four characters, or three for 11-character serials.
  public var code: String
  /// A model number, a model identifier, or a name given by an operator.
  public var model: String
  /// Whether an operator imported it.
  public var isImported: Bool
  /// Number of times a person confirmed that a serial with this code belongs to this model.
  public var confirmed: Int

  /// Creates a pair of code and model.
  public init(code: String, model: String, isImported: Bool = false, confirmed: Int = 0) {
    (self.code, self.model, self.isImported, self.confirmed) = (code, model, isImported, confirmed)
  }
}

/// Stores the known configuration codes: imported ones, and those of serials that people confirm or correct
/// (`SerialCorrecting`). They contain no serials, so they stay when serials are deleted.
public protocol ModelCodeStore: Sendable {
  /// Lists the codes in order.
  func modelCodes() async throws -> [ModelCode]

  /// Counts the known codes. A code with several models counts once.
  func modelCodeCount() async throws -> Int

  /// Adds all codes or none.
  ///
  /// An existing pair becomes imported if the new one is, and keeps the larger count.
  ///
  /// - Returns: The number of new pairs.
  func addModelCodes(_ codes: [ModelCode]) async throws -> Int

  /// Removes codes with all their models. Changes nothing if one of them is unknown.
  ///
  /// - Returns: The unknown codes.
  func removeModelCodes(_ codes: [String]) async throws -> [String]
}

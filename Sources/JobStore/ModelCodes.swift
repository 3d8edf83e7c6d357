/// A configuration code, the last characters of a serial, and a model that it belongs to.
public struct ModelCode: Sendable, Equatable {
  /// Four characters, or three of serials with 11.
  public var code: String
  /// A model number, a model identifier, or a name that an operator gave.
  public var model: String
  /// Whether an operator imported it.
  public var isImported: Bool
  /// How often a person said that a serial with this code belongs to this model.
  public var confirmed: Int

  /// Creates a pair of code and model.
  public init(code: String, model: String, isImported: Bool = false, confirmed: Int = 0) {
    (self.code, self.model, self.isImported, self.confirmed) = (code, model, isImported, confirmed)
  }
}

/// The configuration codes that a store knows. None of them holds a serial: they stay when serials are deleted.
public protocol ModelCodeStore: Sendable {
  /// The codes, in their order.
  func modelCodes() async throws -> [ModelCode]

  /// How many codes are known, whatever the number of their models.
  func modelCodeCount() async throws -> Int

  /// Adds all codes or none. A pair that exists becomes imported where the new one is, and keeps the larger count.
  ///
  /// - Returns: How many pairs are new.
  func addModelCodes(_ codes: [ModelCode]) async throws -> Int

  /// Removes codes with all their models. Changes nothing where one of them is not known.
  ///
  /// - Returns: The codes that are not known.
  func removeModelCodes(_ codes: [String]) async throws -> [String]

  /// Counts that a person said a serial with this code belongs to a model.
  ///
  /// - Parameter model: The model; nil for the only one that the code is known for, if it is.
  func countModelCode(_ code: String, model: String?) async throws

  /// Takes back what was counted for a serial that turned out to be another. A pair that is then neither counted nor imported goes.
  func uncountModelCode(_ code: String, model: String?) async throws
}

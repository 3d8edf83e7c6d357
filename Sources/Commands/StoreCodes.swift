import AppleSerial
import HTTPAPI
import JobStore
import Logging

/// The configuration codes that a store knows, as readers get them: fetched again once they are some seconds old.
actor StoreCodes {
  /// Seconds for which they are taken as they are.
  private static let freshness: Duration = .seconds(10)

  private let store: any ModelCodeStore
  private let logger: Logger
  private var codes: ConfigurationCodes?
  private var fetchedAt: ContinuousClock.Instant?

  init(_ store: any ModelCodeStore, logger: Logger) { (self.store, self.logger) = (store, logger) }

  /// The codes; nil where there are none. A store that fails leaves those that were fetched before.
  func current() async -> ConfigurationCodes? {
    if let fetchedAt, ContinuousClock.now - fetchedAt < Self.freshness { return codes }
    fetchedAt = .now
    do {
      codes = ConfigurationCodes(try await store.modelCodes())
    } catch {
      logger.warning("configuration codes not fetched", metadata: ["error": "\(error)"])
    }
    return codes
  }
}

extension ConfigurationCodes {
  /// Pairs that go to readers with each photo, at most: 20,000 take some 5 ms there.
  private static let most = 20_000

  /// The codes of a store, those with the model numbers of the models that are named; nil where there are none.
  init?(_ codes: [ModelCode], names: ModelNames = .shared) {
    guard !codes.isEmpty else { return nil }
    self.init()
    let told = codes.count <= Self.most ? codes : codes.sorted { $0.weight > $1.weight }
    for code in told.prefix(Self.most) {
      let numbers = names.table.numbers(of: code.model)
      for model in numbers.isEmpty ? [code.model] : numbers { add(code: code.code, model: model) }
    }
  }
}

extension ModelCode {
  /// What was imported comes before what was counted, and what was counted often before the rest.
  fileprivate var weight: Int { isImported ? .max : confirmed }
}

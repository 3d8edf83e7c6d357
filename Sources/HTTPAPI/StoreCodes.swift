import AppleSerial
import Exports
import JobStore
import Logging

/// The configuration codes of a store, for readers and for the names of models, cached for a few seconds.
public actor StoreCodes {
  /// Seconds after which cached codes are fetched again.
  private static let freshness: Duration = .seconds(10)

  private let store: any ModelCodeStore
  private let logger: Logger
  /// What was fetched last; `codes` and `names` are derived from it, once for each change.
  private var fetched: [ModelCode] = []
  private var codes: ConfigurationCodes?
  private var names = ModelNames.shared
  private var fetchedAt: ContinuousClock.Instant?

  /// Creates an empty cache.
  public init(_ store: any ModelCodeStore, logger: Logger) { (self.store, self.logger) = (store, logger) }

  /// Returns the codes; nil if there are none. If the store fails, keeps the codes fetched before.
  public func current() async -> ConfigurationCodes? {
    await refresh()
    return codes
  }

  /// Returns the names of models, including those of the store's codes.
  func modelNames() async -> ModelNames {
    await refresh()
    return names
  }

  private func refresh() async {
    if let fetchedAt, ContinuousClock.now - fetchedAt < Self.freshness { return }
    fetchedAt = .now
    do {
      let found = try await store.modelCodes()
      guard found != fetched else { return }
      (fetched, codes, names) = (found, ConfigurationCodes(found), ModelNames.shared.adding(found))
    } catch {
      logger.warning("model codes could not be fetched; the previous ones are used", metadata: ["error": "\(error)"])
    }
  }
}

extension ConfigurationCodes {
  /// The maximum number of pairs sent to readers with each photo: 20,000 take about 5 ms there.
  private static let most = 20_000

  /// Converts a store's codes, with the model numbers of the models they name; nil if there are none.
  package init?(_ codes: [ModelCode], names: ModelNames = .shared) {
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
  /// Ranks imported codes before counted ones, and frequently counted ones before others.
  fileprivate var weight: Int { isImported ? .max : confirmed }
}

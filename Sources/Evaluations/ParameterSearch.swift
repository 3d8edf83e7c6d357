/// A coordinate search for better numbers of a preset: one parameter after the other, a few values around the one that is
/// best so far. It only says what to try next and keeps what came of it; whoever runs it reads the pictures.
public struct ParameterSearch: Sendable {
  /// One set of numbers, and what it came to.
  public struct Trial: Encodable, Sendable {
    /// The preset's parameters by name.
    public var parameters: [String: Double]
    /// Right minus misread.
    public var score: Int
    /// Pictures that were read right.
    public var hits: Int
    /// Pictures that were misread.
    public var misreads: Int
  }

  /// A parameter was asked for that the preset does not have.
  public struct UnknownParameter: Error {
    /// The name that was asked for.
    public var name: String
    /// The preset's parameters.
    public var known: [String]
  }

  /// Shares of the value so far that are tried.
  private static let factors = [0.7, 0.85, 1.15, 1.4]

  /// What was tried, in order; the first are the configured numbers.
  public private(set) var trials: [Trial] = []
  /// The best trial, the earliest of equals; nil before the first.
  public private(set) var best: Trial?
  private let defaults: [String: Double]
  private let names: [String]
  private let rounds: Int
  private var round = 0
  private var nameIndex = 0
  private var factorIndex = 0
  /// The value around which the present parameter is tried.
  private var centre: Double?
  private var scoreBeforeRound: Int?

  /// Begins a search.
  ///
  /// - Parameters:
  ///   - defaults: The configured numbers by name.
  ///   - names: The parameters to change; nil for all.
  ///   - rounds: How often each is looked at, at most: a round that finds nothing better is the last.
  /// - Throws: `UnknownParameter` for a name that `defaults` lacks.
  public init(from defaults: [String: Double], changing names: [String]?, rounds: Int) throws(UnknownParameter) {
    let known = defaults.keys.sorted()
    if let other = names?.first(where: { defaults[$0] == nil }) { throw UnknownParameter(name: other, known: known) }
    self.defaults = defaults
    self.names = names ?? known
    self.rounds = rounds
  }

  /// The most trials that there can be.
  public var planned: Int { 1 + rounds * names.count * Self.factors.count }

  /// Whether something was found that is better than the configured numbers.
  public var isImproved: Bool {
    guard let best, let baseline = trials.first else { return false }
    return best.score > baseline.score
  }

  /// The numbers to try next; nil at the end. Each is to be followed by `take`.
  public mutating func next() -> [String: Double]? {
    guard let best else { return defaults }
    while advance(best) {
      guard let centre, nameIndex < names.count else { continue }
      var parameters = best.parameters
      let value = centre * Self.factors[factorIndex]
      parameters[names[nameIndex]] = centre == centre.rounded() ? value.rounded() : value
      factorIndex += 1
      // Small whole numbers come to the same more than once.
      if !trials.contains(where: { $0.parameters == parameters }) { return parameters }
    }
    return nil
  }

  /// Keeps what a set of numbers came to.
  public mutating func take(_ parameters: [String: Double], hits: Int, misreads: Int) {
    let trial = Trial(parameters: parameters, score: hits - misreads, hits: hits, misreads: misreads)
    trials.append(trial)
    if best.map({ trial.score > $0.score }) ?? true { best = trial }
  }

  /// Goes to the place of the next value: within a parameter, to the next one, into the next round. False at the end.
  private mutating func advance(_ best: Trial) -> Bool {
    if factorIndex >= Self.factors.count {
      factorIndex = 0
      nameIndex += 1
    }
    if nameIndex >= names.count {
      nameIndex = 0
      round += 1
      if scoreBeforeRound == best.score { return false }
    }
    guard round < rounds, !names.isEmpty else { return false }
    if nameIndex == 0, factorIndex == 0 { scoreBeforeRound = best.score }
    if factorIndex == 0 { centre = best.parameters[names[nameIndex]] }
    return true
  }
}

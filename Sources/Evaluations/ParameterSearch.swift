/// A coordinate search for better parameters of a preset: varies one parameter at a time around its best value so far.
/// It proposes values and records their scores; the caller reads the pictures.
public struct ParameterSearch: Sendable {
  /// One set of parameters and its score.
  public struct Trial: Encodable, Sendable {
    /// The preset's parameters by name.
    public var parameters: [String: Double]
    /// Correct reads minus misreads.
    public var score: Int
    /// Pictures that were read correctly.
    public var hits: Int
    /// Pictures that were misread.
    public var misreads: Int
  }

  /// A requested parameter that the preset does not have.
  public struct UnknownParameter: Error {
    /// The requested name.
    public var name: String
    /// The preset's parameters.
    public var known: [String]
  }

  /// The factors applied to the best value so far.
  private static let factors = [0.7, 0.85, 1.15, 1.4]

  /// All trials, in order; the first uses the configured parameters.
  public private(set) var trials: [Trial] = []
  /// The best trial, the earliest among equals; nil before the first.
  public private(set) var best: Trial?
  private let defaults: [String: Double]
  private let names: [String]
  private let ranges: [String: ClosedRange<Double>]
  private let rounds: Int
  private var round = 0
  private var nameIndex = 0
  private var factorIndex = 0
  /// The value around which the current parameter is varied.
  private var centre: Double?
  private var scoreBeforeRound: Int?

  /// Starts a search.
  ///
  /// - Parameters:
  ///   - defaults: The configured parameters by name.
  ///   - names: The parameters to change; nil for all.
  ///   - ranges: The parameters' ranges by name.
  ///   - rounds: The maximum number of passes over the parameters. A pass without improvement is the last.
  /// - Throws: `UnknownParameter` for a name that `defaults` lacks.
  public init(
    from defaults: [String: Double], changing names: [String]?, within ranges: [String: ClosedRange<Double>],
    rounds: Int
  ) throws(UnknownParameter) {
    let known = defaults.keys.sorted()
    if let other = names?.first(where: { defaults[$0] == nil }) { throw UnknownParameter(name: other, known: known) }
    self.defaults = defaults
    self.names = names ?? known
    self.ranges = ranges
    self.rounds = rounds
  }

  /// The maximum number of trials.
  public var planned: Int { 1 + rounds * names.count * Self.factors.count }

  /// Whether a trial scored better than the configured parameters.
  public var isImproved: Bool {
    guard let best, let baseline = trials.first else { return false }
    return best.score > baseline.score
  }

  /// Returns the parameters to try next; nil at the end. Follow each call with `take`.
  public mutating func next() -> [String: Double]? {
    guard let best else { return defaults }
    while advance(best) {
      guard let centre, nameIndex < names.count else { continue }
      var parameters = best.parameters
      var value = centre * Self.factors[factorIndex]
      if centre == centre.rounded() { value = value.rounded() }
      if let range = ranges[names[nameIndex]] { value = min(max(value, range.lowerBound), range.upperBound) }
      parameters[names[nameIndex]] = value
      factorIndex += 1
      // Small whole numbers, and values at the end of a range, can come out the same more than once.
      if !trials.contains(where: { $0.parameters == parameters }) { return parameters }
    }
    return nil
  }

  /// Records the result of a set of parameters.
  public mutating func record(_ parameters: [String: Double], hits: Int, misreads: Int) {
    let trial = Trial(parameters: parameters, score: hits - misreads, hits: hits, misreads: misreads)
    trials.append(trial)
    if best.map({ trial.score > $0.score }) ?? true { best = trial }
  }

  /// Advances to the next value, the next parameter or the next round. Returns false at the end.
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

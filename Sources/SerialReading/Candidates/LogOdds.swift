#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Probabilities on the scale on which evidence adds up: the logarithm of p / (1 - p).
enum LogOdds {
  /// The probability, 0...1, whose log-odds these are.
  static func probability(_ logOdds: Double) -> Double { 1 / (1 + exp(-logOdds)) }

  /// The odds, 0 or more, of which these are the logarithm.
  static func odds(_ logOdds: Double) -> Double { exp(logOdds) }

  /// The log-odds of a probability, which is kept within a range first: certainty has none.
  static func of(_ probability: Double, within range: ClosedRange<Double>) -> Double {
    let kept = min(range.upperBound, max(range.lowerBound, probability))
    return log(kept / (1 - kept))
  }
}

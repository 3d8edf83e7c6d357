#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Converts probabilities to and from log-odds, log(p / (1 - p)), the scale on which evidence is additive.
enum LogOdds {
  /// The probability, 0...1, with the given log-odds.
  static func probability(_ logOdds: Double) -> Double { 1 / (1 + exp(-logOdds)) }

  /// The odds, 0 or more, with the given logarithm.
  static func odds(_ logOdds: Double) -> Double { exp(logOdds) }

  /// The log-odds of a probability, clamped to a range first: 0 and 1 have no finite log-odds.
  static func of(_ probability: Double, within range: ClosedRange<Double>) -> Double {
    let kept = min(range.upperBound, max(range.lowerBound, probability))
    return log(kept / (1 - kept))
  }
}

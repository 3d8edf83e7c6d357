#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Computes the confidence in a place, 0...1, from its evidence. The curves were set by hand to rank places; they are
/// not calibrated probabilities.
enum Confidence {
  static func planar(correlation: Double, support: Int) -> Double {
    curve(-1.2 + 5.5 * correlation + 0.9 * log(Double(max(1, support)) / 8))
  }

  static func soft(sharpness: Double, likeness: Double) -> Double {
    curve(-5.0 + 0.15 * min(sharpness, 25) + 6.0 * likeness)
  }

  private static func curve(_ odds: Double) -> Double { 1 / (1 + exp(-odds)) }
}

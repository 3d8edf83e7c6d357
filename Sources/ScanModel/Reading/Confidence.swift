/// The displayed form of a confidence.
public enum Confidence {
  /// Rounds a probability down to three decimals, so that one below a threshold never appears to reach it.
  public static func displayed(_ confidence: Double) -> Double { (confidence * 1000).rounded(.down) / 1000 }
}

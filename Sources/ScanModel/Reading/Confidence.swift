/// How a confidence is shown, wherever it is.
public enum Confidence {
  /// A probability with three decimals, rounded down: one below a threshold never looks as if it had reached it.
  public static func displayed(_ confidence: Double) -> Double { (confidence * 1000).rounded(.down) / 1000 }
}

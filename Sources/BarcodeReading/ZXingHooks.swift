import CZXingShim

/// The function of the C library that this program replaces, so that a failed assertion of ZXing ends only its read
/// (`CZXingShim`).
public enum ZXingHooks {
  /// The replacements that have no effect with the installed libraries, one sentence each; empty if all of them work.
  public static var broken: [String] {
    serialscan_assertions_are_caught() ? [] : ["A failed assertion of ZXing ends the reader, which costs an attempt."]
  }
}

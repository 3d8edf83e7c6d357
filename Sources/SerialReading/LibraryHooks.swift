import BarcodeReading
import TextReading

/// The functions of libraries that this program replaces.
public enum LibraryHooks {
  /// The replacements that have no effect with the installed libraries, a sentence each; empty if all of them work.
  public static var broken: [String] { TesseractHooks.broken + ZXingHooks.broken }
}

import CTesseractShortcuts

/// The functions of Tesseract and Leptonica that this program replaces to save time (`CTesseractShortcuts`).
public enum TesseractHooks {
  /// The replacements that have no effect with the installed libraries, one sentence each; empty if all of them work.
  public static var broken: [String] {
    var broken: [String] = []
    if !tesseract_starts_without_ambiguities() {
      broken.append("Tesseract loads the ambiguities of its legacy recogniser, so readers start more slowly.")
    }
    if !tesseract_does_not_compress_lines() {
      broken.append("Tesseract compresses each line as PNG, so reads take a twentieth longer.")
    }
    if !tesseract_layers_take_one_pass() {
      broken.append("Tesseract's own layers read the lines, so reads take a third longer.")
    }
    if !tesseract_reads_on_one_thread() {
      broken.append("Tesseract reads each line with several threads, so reads take much longer.")
    }
    return broken
  }
}

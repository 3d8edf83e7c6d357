import CDecoderWarnings

/// The functions of libjpeg and libde265 that this program replaces to learn of damaged data (`CDecoderWarnings`).
public enum DecoderHooks {
  /// The replacements that have no effect with the installed libraries, a sentence each; empty if all of them work.
  public static var broken: [String] {
    var broken: [String] = []
    if !jpeg_data_are_checked() {
      broken.append("libjpeg does not report data left over, so a read of a damaged JPEG may be accepted.")
    }
    if !hevc_warnings_are_counted() {
      broken.append("libde265's warnings are not seen, so a read of a damaged HEIC file may be accepted.")
    }
    return broken
  }
}

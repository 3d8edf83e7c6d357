/// References between the items of a HEIC file (`iref`; ISO/IEC 14496-12, 8.11.12).
public enum HEICReferences {
  /// Returns the file offsets of the four-letter types of the references that decoding the picture does not need: all
  /// except `dimg`, which assembles a picture from its tiles.
  ///
  /// Thumbnails, depth maps, gain maps and metadata refer to the picture, and since iOS 18 also to its HDR form
  /// (`tmap`). Decoders that expect such references to name only one picture reject the file. Overwriting a reference's
  /// type with `free` makes decoders ignore it and moves nothing in the file.
  ///
  /// - Returns: An empty array if the boxes are invalid.
  public static func typesBesidePicture(in bytes: [UInt8]) -> [Int] {
    (try? HEICHeader.referenceTypes(MeteredSource(MemorySource(bytes: bytes)), except: "dimg")) ?? []
  }
}

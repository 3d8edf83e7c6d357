/// References between the items of a HEIC file (`iref`; ISO/IEC 14496-12, 8.11.12).
public enum HEICReferences {
  /// Places in the file of the four letters that name the type of each reference that decoding the picture does not need: all but `dimg`, by which
  /// a picture is made of its tiles.
  ///
  /// Thumbnails, depth and gain maps and metadata refer to the picture, and since iOS 18 to its HDR form (`tmap`) too. Decoders that know such references
  /// to one picture only refuse the file for them. A reference whose type is overwritten, with `free`, is ignored, and nothing changes its place.
  ///
  /// - Returns: Nothing where the boxes make no sense.
  public static func typesBesidePicture(in bytes: [UInt8]) -> [Int] {
    (try? HEICHeader.referenceTypes(MeteredSource(MemorySource(bytes: bytes)), except: "dimg")) ?? []
  }
}

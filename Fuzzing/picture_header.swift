/// Fuzzes the header readers of all formats, including EXIF: no trap, no more steps than the size allows, and only
/// dimensions that later checks can multiply without overflow.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPictureHeader(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: count))
  if let header = try? PictureHeader(bytes: bytes) {
    precondition(header.width > 0 && header.height > 0)
    precondition(header.pixelCount / header.width == header.height)
    precondition((1...8).contains(header.orientation))
  }
  for place in HEICReferences.typesBesidePicture(in: bytes) { precondition(place >= 0 && place + 4 <= count) }
  for page in (try? PictureHeader.tiffPages(in: bytes, most: 9)) ?? [] {
    precondition(page.directory >= 0 && page.header.pixelCount / page.header.width == page.header.height)
  }
  precondition(PictureHeader.steps(toRead: bytes) <= 100 + 2 * count)
  return 0
}

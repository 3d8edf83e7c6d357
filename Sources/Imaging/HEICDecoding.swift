import CHeif
import CLeptonica
import PictureHeader

/// Decodes HEIC pictures with libheif, which applies their orientation properties.
enum HEICDecoder {
  /// Decodes the luminance plane. Pictures of more than 8 bits are decoded as RGB first.
  static func gray(_ bytes: [UInt8], pixelLimit: Int) throws(PictureError) -> GrayPicture {
    let handle = try Handle(bytes, pixelLimit: pixelLimit)
    if handle.bitsPerPixel == 8, let image = handle.decoded(heif_colorspace_YCbCr, heif_chroma_420) {
      var stride: Int32 = 0
      if let plane = heif_image_get_plane_readonly(image.pointer, heif_channel_Y, &stride) {
        let (width, height) = (image.width(heif_channel_Y), image.height(heif_channel_Y))
        return GrayPicture(width: width, height: height) { out in
          for y in 0..<height {
            for x in 0..<width { out[y &* width &+ x] = plane[y &* Int(stride) &+ x] }
          }
        }
      }
    }
    guard let picture = try color(bytes, pixelLimit: pixelLimit)?.gray()?.grayPicture() else {
      throw .damaged("the HEIC data cannot be decoded")
    }
    return picture
  }

  /// Decodes the picture in colour.
  static func color(_ bytes: [UInt8], pixelLimit: Int) throws(PictureError) -> Pix? {
    let handle = try Handle(bytes, pixelLimit: pixelLimit)
    guard let image = handle.decoded(heif_colorspace_RGB, heif_chroma_interleaved_RGB) else { return nil }
    var stride: Int32 = 0
    let (width, height) = (image.width(heif_channel_interleaved), image.height(heif_channel_interleaved))
    guard let plane = heif_image_get_plane_readonly(image.pointer, heif_channel_interleaved, &stride),
      let pix = Pix({ pixCreateNoInit(Int32(width), Int32(height), 32) }), let data = pixGetData(pix.pointer)
    else { return nil }
    let words = Int(pixGetWpl(pix.pointer))
    for y in 0..<height {
      let line = plane + y * Int(stride)
      for x in 0..<width {
        let (red, green, blue) = (UInt32(line[3 &* x]), UInt32(line[3 &* x &+ 1]), UInt32(line[3 &* x &+ 2]))
        data[y &* words &+ x] = red << 24 | green << 16 | blue << 8
      }
    }
    return pix
  }

  /// The primary picture of a file.
  private final class Handle {
    private let context: OpaquePointer
    private let pointer: OpaquePointer
    /// The file's bytes, which must outlive the context: libheif does not copy them.
    private let bytes: UnsafeMutableRawBufferPointer

    init(_ file: [UInt8], pixelLimit: Int) throws(PictureError) {
      bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: file.count, alignment: 1)
      bytes.copyBytes(from: file)
      for place in HEICReferences.typesBesidePicture(in: file) {
        bytes[place..<place + 4].copyBytes(from: "free".utf8)
      }
      context = heif_context_alloc()
      heif_context_set_max_decoding_threads(context, 0)
      var handle: OpaquePointer?
      let read = heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil)
      guard read.code == heif_error_Ok, heif_context_get_primary_image_handle(context, &handle).code == heif_error_Ok,
        let handle
      else {
        heif_context_free(context)
        bytes.deallocate()
        throw .damaged("the HEIC file holds no picture that can be decoded")
      }
      pointer = handle
      let (width, height) = (Int(heif_image_handle_get_width(handle)), Int(heif_image_handle_get_height(handle)))
      if width * height > pixelLimit { throw .tooManyPixels(width: width, height: height, limit: pixelLimit) }
    }

    deinit {
      heif_image_handle_release(pointer)
      heif_context_free(context)
      bytes.deallocate()
    }

    var bitsPerPixel: Int { Int(heif_image_handle_get_luma_bits_per_pixel(pointer)) }

    func decoded(_ space: heif_colorspace, _ chroma: heif_chroma) -> Image? {
      var image: OpaquePointer?
      guard heif_decode_image(pointer, &image, space, chroma, nil).code == heif_error_Ok, let image else { return nil }
      return Image(image)
    }
  }

  private final class Image {
    let pointer: OpaquePointer
    init(_ pointer: OpaquePointer) { self.pointer = pointer }
    deinit { heif_image_release(pointer) }
    func width(_ channel: heif_channel) -> Int { Int(heif_image_get_width(pointer, channel)) }
    func height(_ channel: heif_channel) -> Int { Int(heif_image_get_height(pointer, channel)) }
  }
}

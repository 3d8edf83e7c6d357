import Imaging
import ScanModel
import Tracking

extension SerialReader {
  /// The longer side in pixels from which a JPEG frame is decoded at a reduced size.
  private static let frameSide = 2560
  /// The most pixels of the view that is read.
  private static let viewPixels = 2_000_000
  /// The most pixels kept of a frame: enough for a view of `viewPixels` in which the object is rotated.
  private static let framePixels = 8_000_000
  /// The share of a read's time after which no further frame is decoded. Decoding a frame of 60 megapixels takes
  /// seconds.
  private static let decodingShare = 0.5

  /// Reads a photo, or an object in the video frames that show it.
  ///
  /// The object is rectified to its front view. Regions in the result are in pixels of that view, not of a frame.
  ///
  /// - Parameters:
  ///   - bytes: The photo's file, or the concatenated files of the frames.
  ///   - request: How to read it, and the object's place in each frame.
  ///   - progress: As for a photo.
  /// - Throws: `ReadFailure` if nothing can be read.
  public func readPhotoOrViews(
    _ bytes: [UInt8], _ request: ReadRequest, progress: (ReadProgress) -> Void = { _ in }
  ) throws(ReadFailure) -> ReadAnswer {
    guard !request.views.isEmpty else { return try read(bytes, request, progress: progress) }
    return try read(Self.view(bytes, request), request, progress: progress)
  }

  /// Renders the front view of an object from the frames that show it, as PNG.
  ///
  /// - Parameters:
  ///   - bytes: The concatenated files of the frames.
  ///   - request: The object's place in each frame.
  /// - Throws: `ReadFailure` if the frames do not show the object.
  public static func view(_ bytes: [UInt8], _ request: ReadRequest) throws(ReadFailure) -> [UInt8] {
    var rest = bytes[...]
    var frames: [ViewedFrame] = []
    let timer = ReadingTimer(budget: request.timeBudget * decodingShare)
    for view in request.views.prefix(ObjectView.most) where frames.isEmpty || timer.hasTime {
      let file = rest.prefix(max(0, view.byteCount))
      rest = rest.dropFirst(file.count)
      if let frame = try frame(Array(file), view.corners, request.limits) { frames.append(frame) }
    }
    guard
      let view = FrontView(
        of: frames, scale: request.viewScale, pixelLimit: min(viewPixels, request.limits.maxPixels)),
      let file = GrayPicture(width: view.width, height: view.height, pixels: view.gray).png()
    else { throw ReadFailure(.damagedPicture, "The frames show nothing of the thing. Film it whole.") }
    return file
  }

  private static func frame(
    _ file: [UInt8], _ corners: ScanModel.Quadrilateral, _ limits: PictureLimits
  ) throws(ReadFailure) -> ViewedFrame? {
    do throws(PictureError) {
      let picture = try EncodedPicture(file).colors(pixelLimit: limits.maxPixels, atLeast: frameSide)
      return TrackingFrame(
        width: picture.width, height: picture.height, gray: picture.grayValues(), fullWidth: picture.fullWidth,
        fullHeight: picture.fullHeight
      ).flatMap { ViewedFrame($0, corners: corners.corners.map { SIMD2($0.x, $0.y) }, pixelLimit: framePixels) }
    } catch {
      throw ReadFailure(error)
    }
  }
}

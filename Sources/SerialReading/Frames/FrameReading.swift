import Imaging
import ScanModel
import Tracking

extension SerialReader {
  /// The longer side in pixels from which on a frame that is a JPEG is decoded at a part of its size.
  private static let frameSide = 2560
  /// The most pixels of what is read.
  private static let viewPixels = 2_000_000
  /// The most pixels that are kept of a frame, enough for a view of that many in which the thing is turned.
  private static let framePixels = 8_000_000
  /// The share of a read's time after which no further frame is decoded: that of one with 60 megapixels takes seconds.
  private static let decodingShare = 0.5

  /// Reads what was sent: a photo, or a thing in the frames of a video that show it.
  ///
  /// The thing is read as it looks from its front; regions in the answer are in pixels of that view, of no frame.
  ///
  /// - Parameters:
  ///   - bytes: The photo's file, or the frames' files one after another.
  ///   - request: How to read it, and where the thing is in each frame.
  ///   - progress: As of a photo.
  /// - Throws: `ReadFailure` where there is nothing that could be read.
  public func readPhotoOrViews(
    _ bytes: [UInt8], _ request: ReadRequest, progress: (ReadProgress) -> Void = { _ in }
  ) throws(ReadFailure) -> ReadAnswer {
    guard !request.views.isEmpty else { return try read(bytes, request, progress: progress) }
    return try read(Self.view(bytes, request), request, progress: progress)
  }

  /// A thing as it looks from its front, made from the frames that show it, as a PNG.
  ///
  /// - Parameters:
  ///   - bytes: The frames' files one after another.
  ///   - request: Where the thing is in each frame.
  /// - Throws: `ReadFailure` where the frames show nothing of it.
  public static func view(_ bytes: [UInt8], _ request: ReadRequest) throws(ReadFailure) -> [UInt8] {
    var rest = bytes[...]
    var frames: [ViewedFrame] = []
    let timer = ReadingTimer(budget: request.timeBudget * decodingShare)
    for view in request.views.prefix(ObjectView.most) where frames.isEmpty || timer.hasTime {
      let file = rest.prefix(max(0, view.byteCount))
      rest = rest.dropFirst(file.count)
      if let frame = try frame(Array(file), view.corners, request.pixelLimit) { frames.append(frame) }
    }
    guard
      let view = FrontView(
        of: frames, scale: request.viewScale, pixelLimit: min(viewPixels, request.pixelLimit)),
      let file = GrayPicture(width: view.width, height: view.height, pixels: view.gray).png()
    else { throw ReadFailure(.damagedPicture, "The frames show nothing of the thing. Film it whole.") }
    return file
  }

  private static func frame(
    _ file: [UInt8], _ corners: ScanModel.Quadrilateral, _ pixelLimit: Int
  ) throws(ReadFailure) -> ViewedFrame? {
    do throws(PictureError) {
      let picture = try EncodedPicture(file).colors(pixelLimit: pixelLimit, atLeast: frameSide)
      return TrackingFrame(
        width: picture.width, height: picture.height, gray: picture.grayValues(), fullWidth: picture.fullWidth,
        fullHeight: picture.fullHeight
      ).flatMap { ViewedFrame($0, corners: corners.corners.map { SIMD2($0.x, $0.y) }, pixelLimit: framePixels) }
    } catch {
      throw ReadFailure(error)
    }
  }
}

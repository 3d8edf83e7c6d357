// Compiled for iOS only; see BenchView.swift.
#if os(iOS)
  import AVFoundation
  import BenchModels
  import CoreImage
  import SerialScanClient
  import SwiftUI

  /// The back camera: unmodified HEIC photos, and frames as small JPEGs for tracking.
  @Observable final class Camera: NSObject, AVCapturePhotoCaptureDelegate, AVCaptureVideoDataOutputSampleBufferDelegate
  {
    /// The width of frames; the server tracks objects at 640 pixels.
    private static let frameWidth = 960.0

    let session = AVCaptureSession()
    /// Why there is no picture.
    private(set) var problem: String?
    /// The frame to which a tap refers.
    private(set) var latestFrame: Data?

    /// The receiver of frames.
    private var observer: AsyncStream<Data>.Continuation?
    private let photoOutput = AVCapturePhotoOutput()
    private let queue = DispatchQueue(label: "camera")
    private let context = CIContext()
    private var frameSize = CGSize.zero
    private var photo: CheckedContinuation<Data?, Never>?

    /// Streams the frames from now on; keeps only the latest for a slow receiver.
    func frames() -> AsyncStream<Data> {
      let (stream, observer) = AsyncStream.makeStream(of: Data.self, bufferingPolicy: .bufferingNewest(1))
      self.observer = observer
      return stream
    }

    func start() async {
      guard await AVCaptureDevice.requestAccess(for: .video) else {
        problem = "Camera access is blocked. Allow it in Settings > Privacy > Camera."
        return
      }
      if session.inputs.isEmpty, !configure() { problem = "The camera is not available." }
      queue.async { [session] in session.startRunning() }
    }

    func stop() { queue.async { [session] in session.stopRunning() } }

    /// A point of the latest frame, from fractions of the view.
    func point(x: Double, y: Double) -> Point { Point(x: x * frameSize.width, y: y * frameSize.height) }

    func takePhoto() async -> Data? {
      guard photo == nil else { return nil }
      let codec: AVVideoCodecType = photoOutput.availablePhotoCodecTypes.contains(.hevc) ? .hevc : .jpeg
      let settings = AVCapturePhotoSettings(format: [AVVideoCodecKey: codec])
      return await withCheckedContinuation { continuation in
        photo = continuation
        photoOutput.capturePhoto(with: settings, delegate: self)
      }
    }

    func photoOutput(
      _ output: AVCapturePhotoOutput, didFinishProcessingPhoto photo: AVCapturePhoto, error: (any Error)?
    ) {
      let data = photo.fileDataRepresentation()
      DispatchQueue.main.async {
        self.photo?.resume(returning: data)
        self.photo = nil
      }
    }

    func captureOutput(
      _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection
    ) {
      guard let buffer = CMSampleBufferGetImageBuffer(sampleBuffer) else { return }
      let image = CIImage(cvPixelBuffer: buffer)
      let scale = Self.frameWidth / max(image.extent.width, image.extent.height)
      let small = image.transformed(by: CGAffineTransform(scaleX: scale, y: scale))
      guard let jpeg = context.jpegRepresentation(of: small, colorSpace: CGColorSpaceCreateDeviceRGB()) else { return }
      DispatchQueue.main.async {
        self.frameSize = small.extent.size
        self.latestFrame = jpeg
        self.observer?.yield(jpeg)
      }
    }

    private func configure() -> Bool {
      session.beginConfiguration()
      defer { session.commitConfiguration() }
      session.sessionPreset = .photo
      let video = AVCaptureVideoDataOutput()
      guard let device = AVCaptureDevice.default(.builtInWideAngleCamera, for: .video, position: .back),
        let input = try? AVCaptureDeviceInput(device: device), session.canAddInput(input),
        session.canAddOutput(photoOutput), session.canAddOutput(video)
      else { return false }
      session.addInput(input)
      session.addOutput(photoOutput)
      session.addOutput(video)
      video.alwaysDiscardsLateVideoFrames = true
      video.setSampleBufferDelegate(self, queue: queue)
      // Upright, as the preview shows it.
      if let connection = video.connection(with: .video), connection.isVideoRotationAngleSupported(90) {
        connection.videoRotationAngle = 90
      }
      return true
    }
  }

  /// The camera's preview.
  struct CameraPreview: UIViewRepresentable {
    final class PreviewView: UIView {
      override class var layerClass: AnyClass { AVCaptureVideoPreviewLayer.self }
    }

    let session: AVCaptureSession

    func makeUIView(context: Context) -> PreviewView {
      let view = PreviewView()
      let layer = view.layer as? AVCaptureVideoPreviewLayer
      layer?.session = session
      // Stretch the frame to the view, so that fractions of both correspond.
      layer?.videoGravity = .resize
      return view
    }

    func updateUIView(_ view: PreviewView, context: Context) {}
  }
#endif

import Foundation
import ReaderProcess
import ReaderProtocol

/// Where workers get photos from, and where the pictures with the reads drawn in go.
public protocol JobPhotos: Sendable {
  /// The bytes of a photo by its name (`JobRequest.photo`). Throws `ReadFailure` where it can't be had.
  func photo(_ name: String) async throws -> [UInt8]

  /// Keeps the PNG of a job's photo with the reads drawn in.
  func keepAnnotation(_ picture: [UInt8], of jobID: String) async throws
}

/// Photos in one folder, pictures with the reads drawn in in another.
public struct PhotoFolders: JobPhotos {
  private let photos: URL
  private let annotations: URL
  private let largestPhoto: Int

  /// Names the folders, which exist, and the most bytes of a photo.
  public init(photos: String, annotations: String, largestPhoto: Int) {
    self.photos = URL(fileURLWithPath: photos, isDirectory: true)
    self.annotations = URL(fileURLWithPath: annotations, isDirectory: true)
    self.largestPhoto = largestPhoto
  }

  /// See `JobPhotos`. A file of more than the most bytes is refused.
  public func photo(_ name: String) async throws -> [UInt8] {
    // A name is the store's word; whatever it says, nothing but a photo is handed to a reader.
    guard !name.split(separator: "/").contains("..") else { throw PhotoFile.missing }
    return try await PhotoFile(path: photos.appendingPathComponent(name).path).bytes(limit: largestPhoto)
  }

  /// See `JobPhotos`.
  public func keepAnnotation(_ picture: [UInt8], of jobID: String) async throws {
    let file = annotations.appendingPathComponent("\(jobID).png")
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      DispatchQueue.global().async {
        // Under its name only when it is whole: a client may be fetching an earlier attempt's.
        continuation.resume(with: Result { try Data(picture).write(to: file, options: .atomic) })
      }
    }
  }
}

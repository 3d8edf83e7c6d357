import ChildProcess
import JobStore
import ScanModel

/// The workers' source of photos.
public protocol JobPhotos: Sendable {
  /// Returns the bytes of a photo by its name (`JobRequest.photo`).
  ///
  /// Throws `ReadFailure` if it does not exist, `StoreError.unreadable` if this one can't be read, and another
  /// `StoreError` if none can be.
  func photo(_ name: String) async throws -> [UInt8]
}

/// The photos in a store.
public struct StoredPhotos: JobPhotos {
  private let blobs: any BlobStore
  private let largestPhoto: Int

  /// Creates a source from a store's blobs and the maximum bytes of a photo.
  public init(_ blobs: any BlobStore, largestPhoto: Int) {
    self.blobs = blobs
    self.largestPhoto = largestPhoto
  }

  /// See `JobPhotos`.
  public func photo(_ name: String) async throws -> [UInt8] {
    do {
      return try await bytes(of: name)
    } catch let error as StoreError {
      guard case .unreadable = error else { throw error }
      // If the whole store fails, the photo is not the cause. A full store can still be read.
      do { try await blobs.checkWritable() } catch StoreError.diskFull {}
      throw error
    }
  }

  private func bytes(of name: String) async throws -> [UInt8] {
    guard let photo = try await blobs.open(BlobName(.photo, name)) else { throw PhotoFile.missing }
    guard photo.size <= largestPhoto else {
      throw ReadFailure(
        .tooManyPixels,
        "The photo has \(photo.size) bytes, more than the limit of \(largestPhoto). Send a smaller one.")
    }
    return try await photo.read(at: 0, count: photo.size)
  }
}

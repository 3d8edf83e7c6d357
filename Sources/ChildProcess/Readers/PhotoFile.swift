import Dispatch
import Foundation
import ScanModel
import Support

/// A photo in a local file.
public struct PhotoFile: Sendable {
  private let path: String

  /// Creates a reference to a file.
  public init(path: String) { self.path = path }

  /// Reads the file on a thread that may block.
  ///
  /// - Parameter limit: Maximum size in bytes.
  /// - Throws: `ReadFailure`, as `read(limit:)` does.
  public func bytes(limit: Int) async throws(ReadFailure) -> [UInt8] {
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: Result { () throws(ReadFailure) in try read(limit: limit) })
      }
    }
    return try result.get()
  }

  /// Reads the file. Blocks.
  ///
  /// - Parameter limit: Maximum size in bytes.
  /// - Throws: `ReadFailure.photoMissing` if the file does not exist or is not a regular file, `.tooManyPixels` if it
  ///   is larger.
  public func read(limit: Int) throws(ReadFailure) -> [UInt8] {
    do throws(RegularFile.Problem) {
      return try RegularFile.bytes(of: path, limit: limit)
    } catch {
      guard case .tooLarge = error else { throw Self.missing }
      throw ReadFailure(.tooManyPixels, "The photo has more than \(limit) bytes. Send a smaller one.")
    }
  }

  /// The failure for a missing photo.
  public static let missing = ReadFailure(
    .photoMissing, "The photo is no longer where it was stored. Send it again.")
}

import Dispatch
import Foundation
import ScanModel
import Support

/// A photo in the file system.
public struct PhotoFile: Sendable {
  private let path: String

  /// Names a file.
  public init(path: String) { self.path = path }

  /// Its bytes, read on a thread that may block.
  ///
  /// - Parameter limit: The most bytes it may have.
  /// - Throws: `ReadFailure` as `bytes(limit:)` does.
  public func bytes(limit: Int) async throws(ReadFailure) -> [UInt8] {
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: Result { () throws(ReadFailure) in try read(limit: limit) })
      }
    }
    return try result.get()
  }

  /// Its bytes. Blocks until they are read.
  ///
  /// - Parameter limit: The most bytes it may have.
  /// - Throws: `ReadFailure.photoMissing` where there is no such file or it is none, `.tooManyPixels` where it is larger.
  public func read(limit: Int) throws(ReadFailure) -> [UInt8] {
    do throws(RegularFile.Problem) {
      return try RegularFile.bytes(of: path, limit: limit)
    } catch {
      guard case .tooLarge = error else { throw Self.missing }
      throw ReadFailure(.tooManyPixels, "The photo has more than \(limit) bytes. Send a smaller one.")
    }
  }

  /// There is no such photo.
  public static let missing = ReadFailure(
    .photoMissing, "The photo is no longer where it was stored. Send it again.")
}

import Foundation
import Synchronization

/// Errors that libtiff reports while it decodes.
///
/// Leptonica lets libtiff continue after an error, so a damaged strip results in rows of wrong pixels, in which one
/// character can look like another.
enum TIFFErrors {
  /// The last argument is a `va_list`, which is passed by its address.
  private typealias Handler =
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafeMutableRawPointer?
    ) -> Void
  private typealias SetHandler = @convention(c) (Handler?) -> Handler?

  private static let count = Atomic<Int>(0)
  /// libtiff has one handler for the whole process, so one file is decoded at a time.
  private static let decoding = Mutex(())

  /// Counts errors. Found by name, because Leptonica links libtiff. Leptonica removes libtiff's first handler for every
  /// file, but not this second one.
  private static let handler: Void = {
    guard let symbol = dlsym(nil, "TIFFSetErrorHandlerExt") else { return }
    _ = unsafeBitCast(symbol, to: SetHandler.self)({ _, _, _, _ in TIFFErrors.count.add(1, ordering: .relaxed) })
  }()

  /// Decodes a file; nil if `decode` returns nil or libtiff reports an error.
  static func rejecting(_ decode: () -> Pix?) -> Pix? {
    decoding.withLock { _ in
      _ = handler
      count.store(0, ordering: .relaxed)
      let picture = decode()
      return count.load(ordering: .relaxed) == 0 ? picture : nil
    }
  }
}

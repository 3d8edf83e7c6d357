import CLeptonica

/// Owns a Leptonica picture. Only this file and its callers within the module use the pointer.
final class Pix {
  let pointer: UnsafeMutablePointer<PIX>

  /// Stops Leptonica from printing to standard error.
  private static let silenced: Void = {
    _ = setMsgSeverity(Int32(L_SEVERITY_NONE))
  }()

  /// Takes ownership of the pointer that `make` returns; nil if `make` returns nil.
  init?(_ make: () -> UnsafeMutablePointer<PIX>?) {
    _ = Self.silenced
    guard let pointer = make() else { return nil }
    self.pointer = pointer
  }

  deinit {
    var pointer: UnsafeMutablePointer<PIX>? = pointer
    pixDestroy(&pointer)
  }

  var width: Int { Int(pixGetWidth(pointer)) }
  var height: Int { Int(pixGetHeight(pointer)) }
  var depth: Int { Int(pixGetDepth(pointer)) }

  /// Converts to 8 bits of gray. Transparent parts become white.
  func gray() -> Pix? {
    if depth == 8, pixGetColormap(pointer) == nil { return self }
    guard depth == 32, let opaque = Pix({ pixRemoveAlpha(pointer) }) else {
      return Pix { pixConvertTo8(pointer, 0) }
    }
    return Pix { pixConvertTo8(opaque.pointer, 0) }
  }

  /// Converts to 32 bits of colour. Transparent parts become white.
  func color() -> Pix? {
    guard depth == 32, let opaque = Pix({ pixRemoveAlpha(pointer) }) else {
      return Pix { pixConvertTo32(pointer) }
    }
    return opaque
  }

  /// The picture, its longer side at most `longestSide` pixels.
  func reduced(toSide longestSide: Int) -> Pix? {
    let factor = min(1, Float(longestSide) / Float(max(1, width, height)))
    return factor < 1 ? Pix { pixScale(pointer, factor, factor) } : self
  }

  /// The gray pixels of an 8-bit picture. Leptonica packs four pixels into a word, the first in the highest byte.
  func grayPicture() -> GrayPicture? {
    guard depth == 8, let data = pixGetData(pointer) else { return nil }
    let words = Int(pixGetWpl(pointer))
    let (width, height) = (width, height)
    return GrayPicture(width: width, height: height) { out in
      for y in 0..<height {
        let line = data + y &* words
        for x in 0..<width {
          out[y &* width &+ x] = UInt8(truncatingIfNeeded: line[x &>> 2] &>> UInt32(24 &- (x & 3) &* 8))
        }
      }
    }
  }

  /// Creates an 8-bit Leptonica picture with the same pixels.
  static func make(from picture: GrayPicture) -> Pix? {
    guard let pix = Pix({ pixCreateNoInit(Int32(picture.width), Int32(picture.height), 8) }),
      let data = pixGetData(pix.pointer)
    else { return nil }
    let words = Int(pixGetWpl(pix.pointer))
    picture.pixels.withUnsafeBufferPointer { source in
      for y in 0..<picture.height {
        let line = UnsafeMutableRawPointer(data + y &* words)
        for x in 0..<picture.width {
          // Words have the machine's byte order; both supported architectures are little-endian.
          line.storeBytes(of: source[y &* picture.width &+ x], toByteOffset: x ^ 3, as: UInt8.self)
        }
      }
    }
    return pix
  }
}

/// A code that was read: what it holds and where it stands.
public struct Barcode: Sendable, Equatable {
  /// Kinds of codes that carry serials.
  public enum Symbology: String, Sendable, CaseIterable {
    /// QR code.
    case qrCode
    /// Micro QR code.
    case microQRCode
    /// Data Matrix.
    case dataMatrix
    /// Code 128: linear, with a check character.
    case code128
    /// Code 39: linear, without one.
    case code39

    /// Whether it is a row of bars.
    public var isLinear: Bool { self == .code128 || self == .code39 }
  }

  /// Libraries that read codes.
  public struct Libraries: OptionSet, Sendable, Hashable {
    /// One bit a library.
    public let rawValue: Int
    /// Creates a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// zbar.
    public static let zbar = Libraries(rawValue: 1)
    /// ZXing-C++.
    public static let zxing = Libraries(rawValue: 2)
  }

  /// A point in pixels of the picture that was searched; pixel (0, 0) covers 0..<1.
  public struct Corner: Sendable, Equatable {
    /// Pixels from the left edge.
    public var x: Double
    /// Pixels from the top edge.
    public var y: Double

    /// Creates a point.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// What the code holds, as text.
  public var text: String
  /// Its kind.
  public var symbology: Symbology
  /// Top left, top right, bottom right and bottom left as the code is read; an upright box where zbar alone read it.
  public var corners: [Corner]
  /// Which libraries read it.
  public var libraries: Libraries

  /// Creates a code.
  public init(text: String, symbology: Symbology, corners: [Corner], libraries: Libraries) {
    self.text = text
    self.symbology = symbology
    self.corners = corners
    self.libraries = libraries
  }

  /// The same code in a picture from which this one was cut at `x`, `y` and scaled by `scale`.
  func moved(x: Double, y: Double, scale: Double) -> Barcode {
    var moved = self
    moved.corners = corners.map { Corner(x: $0.x / scale + x, y: $0.y / scale + y) }
    return moved
  }
}

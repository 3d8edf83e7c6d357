/// A code that was read: its content and position.
public struct Barcode: Sendable, Equatable {
  /// The kinds of codes that carry serials.
  public enum Symbology: String, Sendable, CaseIterable {
    /// QR code.
    case qrCode
    /// Micro QR code.
    case microQRCode
    /// Data Matrix.
    case dataMatrix
    /// Code 128: linear, with a check character.
    case code128
    /// Code 39: linear, without a check character.
    case code39

    /// Whether it is a linear code (a row of bars).
    public var isLinear: Bool { self == .code128 || self == .code39 }
  }

  /// The libraries that read codes.
  public struct Libraries: OptionSet, Sendable, Hashable {
    /// One bit per library.
    public let rawValue: Int
    /// Creates a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// zbar.
    public static let zbar = Libraries(rawValue: 1)
    /// ZXing-C++.
    public static let zxing = Libraries(rawValue: 2)
  }

  /// A point in pixels of the searched picture; pixel (0, 0) covers 0..<1.
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

  /// The content of the code as text.
  public var text: String
  /// The kind of code.
  public var symbology: Symbology
  /// Top left, top right, bottom right and bottom left in the code's own orientation; an upright box if only zbar read
  /// it.
  public var corners: [Corner]
  /// The libraries that read it.
  public var libraries: Libraries
  /// Whether the code starts with the character FNC1, which marks GS1 element strings. In `text`, group separators
  /// (U+001D) replace the other FNC1 characters.
  public var isGS1: Bool

  /// Creates a code.
  public init(text: String, symbology: Symbology, corners: [Corner], libraries: Libraries, isGS1: Bool = false) {
    self.text = text
    self.symbology = symbology
    self.corners = corners
    self.libraries = libraries
    self.isGS1 = isGS1
  }

  /// Whether it is certainly a different code from another one of the same picture. A single code that the two
  /// libraries decoded differently counts as the same.
  package func isOther(than code: Barcode) -> Bool {
    symbology != code.symbology || (text != code.text && !overlaps(code))
  }

  private func overlaps(_ code: Barcode) -> Bool {
    func range(_ values: [Double]) -> ClosedRange<Double>? {
      values.min().flatMap { least in values.max().map { least...$0 } }
    }
    guard let x = range(corners.map(\.x)), let y = range(corners.map(\.y)), let otherX = range(code.corners.map(\.x)),
      let otherY = range(code.corners.map(\.y))
    else { return false }
    return x.overlaps(otherX) && y.overlaps(otherY)
  }

  /// The code mapped back to the picture from which the searched part was cut at `x`, `y` and scaled by `scale`.
  func moved(x: Double, y: Double, scale: Double) -> Barcode {
    var moved = self
    moved.corners = corners.map { Corner(x: $0.x / scale + x, y: $0.y / scale + y) }
    return moved
  }
}

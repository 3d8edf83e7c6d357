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
  /// Whether it says, by the character FNC1 at its beginning, that it holds GS1's element strings; `text` has group separators (U+001D) in
  /// place of the others.
  public var isGS1: Bool

  /// Creates a code.
  public init(text: String, symbology: Symbology, corners: [Corner], libraries: Libraries, isGS1: Bool = false) {
    self.text = text
    self.symbology = symbology
    self.corners = corners
    self.libraries = libraries
    self.isGS1 = isGS1
  }

  /// Whether it is certainly not the same code as another one of the same picture: one that both libraries read, and decoded differently,
  /// is one.
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

  /// The same code in a picture from which this one was cut at `x`, `y` and scaled by `scale`.
  func moved(x: Double, y: Double, scale: Double) -> Barcode {
    var moved = self
    moved.corners = corners.map { Corner(x: $0.x / scale + x, y: $0.y / scale + y) }
    return moved
  }
}

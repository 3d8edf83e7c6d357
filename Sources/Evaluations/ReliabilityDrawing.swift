import Foundation

/// A reliability diagram as an SVG picture: the share of correct reads for each tenth of the confidence scale, against
/// the diagonal of perfect calibration, and below it the number of reads.
public struct ReliabilityDrawing: Sendable {
  /// The diagram.
  public let diagram: ReliabilityDiagram
  /// The title above the diagram.
  public let title: String

  /// The side of the square and the margins, in pixels.
  private static let side = 320.0
  private static let left = 64.0
  private static let top = 48.0
  /// The height of the counts below the square and the gap between both, in pixels.
  private static let countHeight = 70.0
  private static let countGap = 44.0

  /// Creates a drawing.
  public init(_ diagram: ReliabilityDiagram, title: String) {
    self.diagram = diagram
    self.title = title
  }

  /// The SVG text.
  public var svg: String {
    let width = Self.left + Self.side + 24
    let height = Self.top + Self.side + Self.countGap + Self.countHeight + 40
    let parts = frame + diagram.bins.enumerated().flatMap { bar($0, $1) + countBar($0, $1) } + captions
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(height))" font-family="sans-serif" \
      font-size="12" fill="#222">
      <rect width="100%" height="100%" fill="#fff"/>
      \(parts.joined(separator: "\n"))
      </svg>

      """
  }

  /// Writes the SVG file.
  ///
  /// - Throws: The file system's error.
  public func write(to file: URL) throws {
    try Data(svg.utf8).write(to: file, options: .atomic)
  }

  private var frame: [String] {
    let bottom = Self.top + Self.side
    let ticks = stride(from: 0, through: 10, by: 2).flatMap { tick -> [String] in
      let (x, y) = (x(Double(tick) / 10), y(Double(tick) / 10))
      let label = String(format: "%.1f", Double(tick) / 10)
      return [
        "<line x1=\"\(x)\" y1=\"\(Self.top)\" x2=\"\(x)\" y2=\"\(bottom)\" stroke=\"#ddd\"/>",
        "<line x1=\"\(Self.left)\" y1=\"\(y)\" x2=\"\(Self.left + Self.side)\" y2=\"\(y)\" stroke=\"#ddd\"/>",
        text(label, x, bottom + 16, "middle"), text(label, Self.left - 6, y + 4, "end"),
      ]
    }
    let diagonal =
      "<line x1=\"\(x(0))\" y1=\"\(y(0))\" x2=\"\(x(1))\" y2=\"\(y(1))\" stroke=\"#888\" stroke-dasharray=\"4 4\"/>"
    let square =
      "<rect x=\"\(Self.left)\" y=\"\(Self.top)\" width=\"\(Self.side)\" height=\"\(Self.side)\" fill=\"none\" stroke=\"#888\"/>"
    return ticks + [diagonal, square]
  }

  private var captions: [String] {
    let middle = Self.left + Self.side / 2
    let total = diagram.bins.reduce(0) { $0 + $1.count }
    let error = String(format: "%.3f", diagram.expectedCalibrationError)
    return [
      text("<tspan font-weight=\"bold\">\(Self.escaped(title))</tspan>", middle, 18, "middle"),
      text("\(total) serials given, expected calibration error \(error)", middle, 36, "middle"),
      text("confidence", middle, Self.top + Self.side + 32, "middle"),
      "<g transform=\"translate(20 \(Self.top + Self.side / 2)) rotate(-90)\">\(text("share right", 0, 0, "middle"))</g>",
      text("reads", Self.left - 6, countBase - Self.countHeight / 2, "end"),
    ]
  }

  /// Draws a bin's share of correct reads, at its mean confidence.
  private func bar(_ index: Int, _ bin: ReliabilityDiagram.Bin) -> [String] {
    guard bin.count > 0 else { return [] }
    let width = Self.side / 10
    guard let mean = bin.meanConfidence, let share = bin.shareRight else { return [] }
    let height = share * Self.side
    let at = "x=\"\(x(Double(index) / 10) + 2)\" y=\"\(y(share))\" width=\"\(width - 4)\" height=\"\(height)\""
    return [
      "<rect \(at) fill=\"#4a90d9\" fill-opacity=\"0.55\"/>",
      "<circle cx=\"\(x(mean))\" cy=\"\(y(share))\" r=\"3.5\" fill=\"#1f4e89\"/>",
    ]
  }

  private func countBar(_ index: Int, _ bin: ReliabilityDiagram.Bin) -> [String] {
    let most = Double(diagram.bins.map(\.count).max() ?? 1)
    let width = Self.side / 10
    let height = most > 0 ? Double(bin.count) / most * (Self.countHeight - 14) : 0
    let x = x(Double(index) / 10)
    return [
      "<rect x=\"\(x + 2)\" y=\"\(countBase - height)\" width=\"\(width - 4)\" height=\"\(height)\" fill=\"#999\"/>",
      text("\(bin.count)", x + width / 2, countBase - height - 3, "middle"),
    ]
  }

  private var countBase: Double { Self.top + Self.side + Self.countGap + Self.countHeight + 20 }

  private func x(_ value: Double) -> Double { Self.left + value * Self.side }
  private func y(_ value: Double) -> Double { Self.top + (1 - value) * Self.side }

  private func text(_ content: String, _ x: Double, _ y: Double, _ anchor: String) -> String {
    "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\">\(content)</text>"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}

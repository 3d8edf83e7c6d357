import AppleSerial
import Foundation
import Logging
import Support

/// Writes log lines to standard error, as plain text or as JSON.
///
/// Masks the values of the keys `serial` and `filename`: a serial is personal data, and files are named after serials.
public struct LogLines: LogHandler {
  /// The formats of a line.
  public enum Format: Sendable {
    /// Plain text: `2026-01-02T03:04:05Z info http request status=200`
    case plain
    /// One JSON object per line.
    case json
  }

  /// The keys whose values are masked.
  private static let masked: Set = ["serial", "filename"]

  /// Metadata added to every line.
  public var metadata: Logger.Metadata = [:]
  /// The lowest level that is written.
  public var logLevel: Logger.Level
  private let label: String
  private let format: Format
  private let write: @Sendable (String) -> Void

  /// Creates a handler for a logger with this label.
  public init(label: String, format: Format, level: Logger.Level) {
    self.init(label: label, format: format, level: level) { StandardError.shared.write($0) }
  }

  package init(label: String, format: Format, level: Logger.Level, write: @escaping @Sendable (String) -> Void) {
    self.label = label
    self.format = format
    logLevel = level
    self.write = write
  }

  /// A metadata value that is added to every line.
  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Writes a line.
  public func log(event: LogEvent) {
    var values: [String: Value] = [:]
    if let error = event.error { values["error"] = .text("\(error)") }
    for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }) {
      values[key] = Self.masked.contains(key) ? .text(SerialNumber.masked("\(value)")) : Value(value)
    }
    let time = Date().formatted(
      .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
    switch format {
    case .plain:
      let pairs = values.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.quoted("\($0.value)"))" }.joined()
      write("\(time) \(event.level.rawValue) \(label) \(Self.oneLine("\(event.message)"))\(pairs)\n")
    case .json:
      values["time"] = .text(time)
      values["level"] = .text(event.level.rawValue)
      values["logger"] = .text(label)
      values["message"] = .text("\(event.message)")
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      guard let data = try? encoder.encode(values) else { return }
      write(String(decoding: data, as: UTF8.self) + "\n")
    }
  }

  /// A metadata value; numbers and booleans stay numbers and booleans in JSON.
  private enum Value: Encodable, CustomStringConvertible {
    case text(String)
    case whole(Int64)
    case real(Double)
    case boolean(Bool)

    init(_ value: Logger.MetadataValue) {
      guard case .stringConvertible(let logged) = value else {
        self = .text("\(value)")
        return
      }
      switch logged {
      case let boolean as Bool: self = .boolean(boolean)
      case let number as any BinaryInteger:
        self = Int64(exactly: number).map(Value.whole) ?? .text("\(logged)")
      case let number as Double where number.isFinite: self = .real(number)
      default: self = .text("\(logged)")
      }
    }

    var description: String {
      switch self {
      case .text(let text): text
      case .whole(let number): "\(number)"
      case .real(let number): "\(number)"
      case .boolean(let boolean): "\(boolean)"
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .whole(let number): try container.encode(number)
      case .real(let number): try container.encode(number)
      case .boolean(let boolean): try container.encode(boolean)
      }
    }
  }

  private static func quoted(_ value: String) -> String {
    let plain = oneLine(value)
    let isOneWord = !plain.isEmpty && !plain.utf8.contains { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\"") }
    let escaped = plain.unicodeScalars.map { $0 == "\u{22}" ? "\\\"" : String($0) }.joined()
    return isOneWord ? plain : "\"\(escaped)\""
  }

  /// Returns text without line ends, so that no client can forge a log line.
  private static func oneLine(_ text: String) -> String {
    // Nearly all texts already are a single line.
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
    return String(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
  }
}

import AppleSerial
import Foundation
import Logging
import StandardStreams

/// Writes log lines to the standard error stream: for people, or as JSON for machines.
///
/// A value under the key `serial` or `filename` is masked: a serial is personal data, and files are named after them.
public struct LogLines: LogHandler {
  /// How a line looks.
  public enum Format: Sendable {
    /// `2026-01-02T03:04:05Z info http request status=200`
    case plain
    /// One JSON object a line.
    case json
  }

  /// Keys whose values are masked.
  private static let masked: Set = ["serial", "filename"]

  /// Values that belong to every line.
  public var metadata: Logger.Metadata = [:]
  /// The least severe level that is written.
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

  /// One value that belongs to every line.
  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Writes a line.
  public func log(
    level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
    function: String, line: UInt
  ) {
    var values: [String: String] = [:]
    for (key, value) in self.metadata.merging(metadata ?? [:], uniquingKeysWith: { $1 }) {
      values[key] = Self.masked.contains(key) ? SerialNumber.masked("\(value)") : "\(value)"
    }
    let time = Date().formatted(
      .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
    switch format {
    case .plain:
      let pairs = values.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.quoted($0.value))" }.joined()
      write("\(time) \(level.rawValue) \(label) \(Self.oneLine("\(message)"))\(pairs)\n")
    case .json:
      var object = values
      object["time"] = time
      object["level"] = level.rawValue
      object["logger"] = label
      object["message"] = "\(message)"
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      guard let data = try? encoder.encode(object) else { return }
      write(String(decoding: data, as: UTF8.self) + "\n")
    }
  }

  private static func quoted(_ value: String) -> String {
    let plain = oneLine(value)
    let isOneWord = !plain.isEmpty && !plain.utf8.contains { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\"") }
    let escaped = plain.unicodeScalars.map { $0 == "\u{22}" ? "\\\"" : String($0) }.joined()
    return isOneWord ? plain : "\"\(escaped)\""
  }

  /// Nothing that a client sends may begin a line of its own.
  private static func oneLine(_ text: String) -> String {
    // Nearly all are one line already.
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
    return String(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
  }
}

import Foundation
import Testing

/// Covers `docs/api.md`: runs every command in it against a real server, in order, and compares the response with the
/// document: the same fields with values of the same type, the same serials and error codes, and the same text if it is
/// not JSON.
@Suite struct InterfaceDocumentTests {
  struct Example {
    var command: String
    var isJSON: Bool
    var answer: String
  }

  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func everyDocumentedCommandAnswersAsWritten() throws {
    let examples = try Self.examples()
    #expect(examples.count > 25)
    let server = try RunningServer(settings: [
      "datasets=\(Self.root.path)/testdata", "webhooks.allow=http://127.0.0.1:9",
      "webhooks.secret=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    ])
    let address = server.address.replacingOccurrences(of: "http://", with: "")
    var variables: [String: String] = [:]
    for example in examples {
      let command = example.command.replacingOccurrences(of: "localhost:8000", with: address)
      let answer = try Self.run(command, variables)
      for (variable, pattern) in [
        ("JOB_ID", "\"job_id\":\"([0-9a-f-]{36})\""), ("REPORT", "\"csv_url\":\"/reports/([^\"]+)\""),
        ("BATCH_ID", "\"id\":\"([0-9a-f-]{36})\",\"name\""),
      ] { if let value = Self.firstMatch(of: pattern, in: answer) { variables[variable] = value } }
      guard example.isJSON else {
        #expect(answer.trimmingCharacters(in: .whitespacesAndNewlines) == example.answer, "\(example.command)")
        continue
      }
      let shown = try JSONSerialization.jsonObject(with: Data(example.answer.utf8))
      let real = try? JSONSerialization.jsonObject(with: Data(answer.utf8))
      // Settings are the same everywhere, so they are compared exactly.
      if ["/params", "/config"].contains(where: { command.hasSuffix($0) }) {
        #expect(shown as? NSDictionary == real as? NSDictionary, "\(example.command)")
      }
      let differences = Self.differences(shown, real ?? "no JSON: \(answer.prefix(200))", at: "$")
      #expect(differences.isEmpty, "\(example.command)")
    }
  }

  /// The blocks of the document: a command in `sh`, then its response in `json` or `text`.
  static func examples() throws -> [Example] {
    let text = try String(contentsOf: root.appendingPathComponent("docs/api.md"), encoding: .utf8)
    var examples: [Example] = []
    for (index, block) in text.components(separatedBy: "```").enumerated() where index % 2 == 1 {
      let language = block.prefix { $0 != "\n" }
      let content = block.dropFirst(language.count).trimmingCharacters(in: .whitespacesAndNewlines)
      if language == "sh" {
        examples.append(Example(command: content, isJSON: true, answer: ""))
      } else if !examples.isEmpty {
        examples[examples.count - 1].isJSON = language == "json"
        examples[examples.count - 1].answer = content
      }
    }
    return examples
  }

  static func run(_ command: String, _ variables: [String: String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.currentDirectoryURL = root
    process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let answer = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: answer, as: UTF8.self)
  }

  private static func isTime(_ name: String) -> Bool {
    name.wholeMatch(of: /\d{4}-\d{2}-\d{2}(T\d{2}:00:00Z)?/) != nil
  }

  static func firstMatch(of pattern: String, in text: String) -> String? {
    guard let regex = try? Regex(pattern), let match = text.firstMatch(of: regex), match.count > 1 else { return nil }
    return match[1].substring.map(String.init)
  }

  /// The differences between a response and the document: fields that either lacks, values of other types, other serials.
  /// A documented `null` matches anything, and a day or hour that is a field's name matches any other.
  static func differences(_ shown: Any, _ real: Any, at place: String) -> [String] {
    switch (shown, real) {
    case (is NSNull, _): return []
    case (let shown as [String: Any], let real as [String: Any]):
      // An empty object has names that depend on the photo, such as the fields beside a serial.
      let undocumented = shown.isEmpty ? [] : real.keys.filter { shown[$0] == nil && !isTime($0) }
      let others = shown.flatMap { key, value -> [String] in
        guard let other = real[key] ?? (isTime(key) ? real.first { isTime($0.key) }?.value : nil) else {
          return ["\(place).\(key) is missing"]
        }
        if ["serial", "error_code", "detail"].contains(key), let text = value as? String, text != other as? String {
          return ["\(place).\(key) is \(other)"]
        }
        return differences(value, other, at: "\(place).\(key)")
      }
      return undocumented.sorted().map { "\(place).\($0) is not documented" } + others
    case (let shown as [Any], let real as [Any]):
      guard let first = shown.first else { return [] }
      return real.first.map { differences(first, $0, at: "\(place)[0]") } ?? ["\(place) is empty"]
    case (is String, is String), (is NSNumber, is NSNumber): return []
    default: return ["\(place) is \(real)"]
    }
  }
}

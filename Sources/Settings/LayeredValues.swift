import EmbeddedFiles
import Foundation
import Support
import Yams

/// The values of all keys, each with the layer that set it: defaults, file, environment or flags.
struct LayeredValues {
  /// A scalar as written, and its origin.
  struct Value: Equatable {
    var text: String
    var origin: String
    /// Whether it is a group without settings, such as `presets: {}`.
    var isEmptyGroup = false
    /// Whether the operator left the default.
    var isBuiltIn: Bool { origin.hasPrefix(LayeredValues.builtIn) }
  }

  fileprivate static let builtIn = "built-in serialscan.yaml"

  private(set) var values: [String: Value]
  /// Environment variables that have the prefix but match no setting, each with advice, for a warning.
  private(set) var unknownVariables: [(name: String, advice: String)] = []
  /// Settings of earlier versions that were given, for a warning.
  private(set) var retired: [(key: String, origin: String, reason: String)] = []

  /// Loads the built-in defaults, which also define the valid keys.
  init() throws(SettingsError) {
    let file = serialscan_embedded_settings()
    let text = String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.size), as: UTF8.self)
    values = try Self.scalars(in: text, named: Self.builtIn)
  }

  /// Overrides values with those of a settings file.
  mutating func overlay(file path: String) throws(SettingsError) {
    guard !path.isEmpty else {
      throw SettingsError(
        key: "", origin: "--config or SERIALSCAN_CONFIG", problem: "must name the settings file (got an empty text)")
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw SettingsError(
        key: "", origin: path, problem: "the settings file can't be read; check the path and its permissions")
    }
    let name = URL(fileURLWithPath: path).lastPathComponent
    for (key, value) in try Self.scalars(in: String(decoding: data, as: UTF8.self), named: name) {
      guard value.isEmptyGroup else {
        try set(key, to: value)
        continue
      }
      guard !values.keys.contains(where: { $0.hasPrefix(key + ".") }) else { continue }
      let problem = values[key] == nil ? problem(ofUnknown: key) : "expected a single value, not a group"
      throw SettingsError(key: key, origin: value.origin, problem: problem)
    }
  }

  /// Overrides values with the environment variables that begin with `SERIALSCAN_`.
  mutating func overlay(environment: [String: String]) {
    let keys = Dictionary(values.keys.map { (Self.variable(for: $0), $0) }) { first, _ in first }
    for (name, text) in environment where name.hasPrefix(Self.prefix) {
      if let key = keys[name] {
        values[key] = Value(text: text, origin: name)
      } else if let (key, reason) = Self.retiredSettings.first(where: { Self.variable(for: $0.key) == name }) {
        retired.append((key, name, reason))
      } else if !Self.otherVariables.contains(name) {
        // The common prefix would make every name similar.
        let nearest = Spelling.nearest(
          to: String(name.dropFirst(Self.prefix.count)),
          among: keys.keys.sorted().map { $0.dropFirst(Self.prefix.count).lowercased() })
        let advice =
          nearest.map { Spelling.advice(Self.variable(for: $0)) } ?? " `serialscan config` lists the settings."
        unknownVariables.append((name, advice))
      }
    }
    unknownVariables.sort { $0.name < $1.name }
  }

  /// Overrides values with `key=value` flags.
  mutating func overlay(flags: [(key: String, text: String, flag: String)]) throws(SettingsError) {
    for flag in flags { try set(flag.key, to: Value(text: flag.text, origin: flag.flag)) }
  }

  /// The beginning of the environment variables.
  private static let prefix = "SERIALSCAN_"

  /// Returns the environment variable of a key.
  static func variable(for key: String) -> String {
    prefix + key.uppercased().replacingOccurrences(of: ".", with: "_")
  }

  /// Variables that have the prefix but are not settings: the folder of test photos, the path of the settings file, and
  /// the API key that `watch` sends to a server.
  private static let otherVariables: Set = ["SERIALSCAN_PHOTOS", "SERIALSCAN_CONFIG", "SERIALSCAN_API_KEY"]

  /// Settings of earlier versions, which are ignored so that an upgrade starts with the file that is there, and why.
  private static let retiredSettings = ["reading.second_model": "The second model is part of the program."]

  private mutating func set(_ key: String, to value: Value) throws(SettingsError) {
    if let reason = Self.retiredSettings[key] { return retired.append((key, value.origin, reason)) }
    guard values[key] != nil else {
      throw SettingsError(key: key, origin: value.origin, problem: problem(ofUnknown: key))
    }
    values[key] = value
  }

  private func problem(ofUnknown key: String) -> String {
    if let member = values.keys.filter({ $0.hasPrefix(key + ".") }).min() {
      return "this is a group of settings; name one of them, such as \(member)"
    }
    if let value = values.keys.first(where: { key.hasPrefix($0 + ".") }) {
      return "there is no such setting: \(value) is a single value, not a group"
    }
    let advice = Spelling.advice(for: key, among: values.keys.sorted())
    return "there is no such setting" + (advice.isEmpty ? "; `serialscan config` prints all of them" : ".\(advice)")
  }

  /// Returns all scalars of a YAML mapping by dotted path, each with file name and line.
  private static func scalars(in text: String, named name: String) throws(SettingsError) -> [String: Value] {
    var bounds = SettingsText()
    if let (line, sentence) = bounds.problem(in: text) {
      throw SettingsError(key: "", origin: "\(name):\(line)", problem: sentence)
    }
    let root: Node?
    do {
      root = try Yams.compose(yaml: text)
    } catch let error as YamlError {
      let (line, sentence) = error.problem
      throw SettingsError(key: "", origin: line.map { "\(name):\($0)" } ?? name, problem: sentence)
    } catch {
      throw SettingsError(key: "", origin: name, problem: "this is not valid YAML: \(error)")
    }
    var found: [String: Value] = [:]
    if let root { try collect(root, path: [], file: name, into: &found) }
    return found
  }

  private static let notSettings = "a settings file holds lines of `key: value`"
  private static let noLists = "lists are not supported; write several values as one text, separated by spaces"

  private static func collect(
    _ node: Node, path: [String], file: String, into found: inout [String: Value]
  ) throws(SettingsError) {
    let origin = "\(file):\(node.mark?.line ?? 1)"
    let key = path.joined(separator: ".")
    switch node {
    case .scalar(let scalar):
      if path.isEmpty {
        if scalar.string.isEmpty { return }
        throw SettingsError(key: "", origin: origin, problem: notSettings)
      }
      if found[key] != nil { throw SettingsError(key: key, origin: origin, problem: "the key appears twice") }
      found[key] = Value(text: scalar.string, origin: origin)
    case .mapping(let mapping):
      guard path.count < SettingsText.mostDepth else {
        throw SettingsError(key: key, origin: origin, problem: "no setting is nested this deep")
      }
      if mapping.isEmpty, !path.isEmpty { found[key] = Value(text: "", origin: origin, isEmptyGroup: true) }
      for (name, value) in mapping {
        try collect(value, path: path + [name.string ?? "?"], file: file, into: &found)
      }
    case .sequence, .alias:
      throw SettingsError(
        key: key, origin: origin, problem: path.isEmpty ? notSettings : noLists)
    }
  }
}

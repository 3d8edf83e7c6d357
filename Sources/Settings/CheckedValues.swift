import Foundation
import ScanModel

/// Reads and checks the layered values one key at a time. Errors name the key, its origin and the problem.
final class CheckedValues {
  private let layers: LayeredValues
  private var taken: Set<String> = []

  init(_ layers: LayeredValues) { self.layers = layers }

  func text(_ key: String) throws(SettingsError) -> String {
    let value = try value(key)
    guard !value.text.isEmpty else {
      throw SettingsError(key: key, origin: value.origin, problem: "must not be empty")
    }
    return value.text
  }

  /// Returns a text; nil if it is empty.
  func optionalText(_ key: String) throws(SettingsError) -> String? {
    let text = try value(key).text
    return text.isEmpty ? nil : text
  }

  /// Returns the path of a folder.
  func path(_ key: String) throws(SettingsError) -> String { try expanded(try text(key), key) }

  /// Returns the path of a folder; nil if it is empty.
  func optionalPath(_ key: String) throws(SettingsError) -> String? {
    guard let text = try optionalText(key) else { return nil }
    return try expanded(text, key)
  }

  /// Throws if a shell would have expanded the path: it would name a folder called `~`.
  private func expanded(_ path: String, _ key: String) throws(SettingsError) -> String {
    guard !path.hasPrefix("~") else {
      throw error(key, try value(key), "expected a path without ~, which only shells expand")
    }
    return path
  }

  func words(_ key: String) throws(SettingsError) -> [String] {
    try value(key).text.split(separator: " ").map(String.init)
  }

  func prefixes(_ key: String) throws(SettingsError) -> [AddressPrefix] {
    let value = try value(key)
    var prefixes: [AddressPrefix] = []
    for word in value.text.split(separator: " ") {
      guard let prefix = AddressPrefix(String(word)) else {
        throw error(key, value, "expected addresses and prefixes like 10.0.0.0/8, separated by spaces")
      }
      prefixes.append(prefix)
    }
    return prefixes
  }

  /// Returns a whole number.
  ///
  /// - Parameter unit: The unit in the plural, for the error; nil for a count.
  func whole(_ key: String, in range: ClosedRange<Int>, of unit: String? = nil) throws(SettingsError) -> Int {
    let value = try value(key)
    guard let number = Int(value.text), range.contains(number) else {
      let unit = unit.map { " of \($0)" } ?? ""
      throw error(key, value, "expected a whole number\(unit) from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Returns a whole number; `auto` stands for `automatic`.
  func whole(_ key: String, in range: ClosedRange<Int>, auto automatic: Int) throws(SettingsError) -> Int {
    let value = try value(key)
    if value.text == "auto" { return automatic }
    guard let number = Int(value.text), range.contains(number) else {
      throw error(key, value, "expected auto or a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Returns a database's address; nil if the value is empty. The value may contain a password, so errors never quote
  /// it.
  func storeAddress(_ key: String) throws(SettingsError) -> StoreAddress? {
    let value = try value(key)
    if value.text.isEmpty { return nil }
    guard let address = StoreAddress(value.text) else {
      throw SettingsError(
        key: key, origin: value.origin, problem: "expected an address like postgresql://user@host/database")
    }
    return address
  }

  /// Returns a number.
  ///
  /// - Parameter unit: The unit in the plural, for the error; nil for a number without one.
  func number(_ key: String, in range: ClosedRange<Double>, of unit: String? = nil) throws(SettingsError) -> Double {
    let value = try value(key)
    guard let number = Double(value.text), range.contains(number) else {
      throw error(
        key, value,
        "expected a number\(unit.map { " of \($0)" } ?? "") from \(Self.plain(range.lowerBound)) to "
          + Self.plain(range.upperBound))
    }
    return number
  }

  /// Formats a limit as it is written in settings, without a needless `.0`.
  private static func plain(_ limit: Double) -> String { Int(exactly: limit).map { "\($0)" } ?? "\(limit)" }

  func choice(_ key: String, of choices: [String]) throws(SettingsError) -> String {
    let value = try value(key)
    guard choices.contains(value.text) else {
      throw error(key, value, "expected one of \(choices.joined(separator: ", "))")
    }
    return value.text
  }

  /// Returns origins as browsers send them, including `null`, or `*`.
  func origins(_ key: String) throws(SettingsError) -> [String] {
    let value = try value(key)
    let origins = try words(key)
    guard let wrong = origins.first(where: { !["*", "null"].contains($0) && !Self.isOrigin($0) }) else {
      return origins
    }
    throw error(
      key, value,
      "expected origins like https://shop.example.com or http://192.168.1.5:3000 (a scheme and a host, without a path), or "
        + "*, separated by spaces: \(wrong) matches none")
  }

  /// Returns names as they stand in a request's `Host`, without a port.
  func hostNames(_ key: String) throws(SettingsError) -> [String] {
    let value = try value(key)
    let names = try words(key)
    guard let wrong = names.first(where: { !Self.isHostName($0) }) else { return names }
    throw error(
      key, value,
      "expected host names like scan.example.com (without a scheme, a port or a path), separated by spaces: \(wrong) "
        + "matches none")
  }

  /// Whether a text is an origin as browsers write it: a scheme and a host with an optional port.
  private static func isOrigin(_ text: String) -> Bool {
    guard text == text.lowercased(), let scheme = text.firstRange(of: "://"), scheme.lowerBound > text.startIndex else {
      return false
    }
    let authority = text[scheme.upperBound...]
    return !authority.isEmpty && !authority.contains { "/?#@*".contains($0) }
  }

  /// Whether a text can be the name in a request's `Host`.
  private static func isHostName(_ text: String) -> Bool { !text.contains { "/:?#@*".contains($0) } }

  /// Returns the custom fields.
  func customFields(_ key: String) throws(SettingsError) -> [CustomField] {
    let value = try value(key)
    do throws(ValuePattern.Problem) {
      return try [CustomField](parsing: value.text)
    } catch {
      throw self.error(key, value, error.reason)
    }
  }

  /// Returns the `webhooks.*` settings. Errors quote neither the secret nor the default address, which may contain one.
  func webhooks() throws(SettingsError) -> Settings.Webhooks {
    let allow = try value("webhooks.allow")
    guard let rules = WebhookRules(allow.text.split(separator: " ").map(String.init)) else {
      throw error(
        "webhooks.allow", allow,
        "expected hosts like hooks.example.com or http://192.168.1.5:9000 and networks like 10.0.0.0/8, separated by spaces"
      )
    }
    let secret = try value("webhooks.secret")
    let secrets = secret.text.split(separator: " ").map { WebhookSecret(String($0)) }
    func problem(_ key: String, _ value: LayeredValues.Value, _ sentence: String) -> SettingsError {
      SettingsError(key: key, origin: value.origin, problem: sentence)
    }
    guard secrets.allSatisfy({ $0 != nil }) else {
      throw problem(
        "webhooks.secret", secret,
        "expected whsec_ and base64, or text without spaces, of at least \(WebhookSecret.fewestBytes) bytes")
    }
    guard !rules.isOn || !secrets.isEmpty else {
      throw problem(
        "webhooks.allow", allow,
        "webhooks.secret must be set as well: receivers check signatures with it")
    }
    let address = try value("webhooks.default")
    var defaultURL: WebhookURL?
    if !address.text.isEmpty {
      do throws(WebhookRules.Refusal) {
        defaultURL = try rules.url(address.text)
      } catch {
        throw problem("webhooks.default", address, "expected an address whose host is in webhooks.allow")
      }
    }
    return Settings.Webhooks(
      rules: rules, defaultURL: defaultURL, secrets: secrets.compactMap(\.self),
      timeout: try number("webhooks.timeout", in: 0.1...600, of: "seconds"),
      retryFor: try number("webhooks.retry_for", in: 0...2_592_000, of: "seconds"))
  }

  /// Returns the description and the numeric parameters of each preset.
  func presets() throws(SettingsError) -> [Preset: Settings.PresetSettings] {
    var presets: [Preset: Settings.PresetSettings] = [:]
    for preset in Preset.allCases {
      let prefix = "presets.\(preset.rawValue)."
      guard layers.values[prefix + "description"] != nil else { continue }
      var parameters: [String: Double] = [:]
      for (name, range) in preset.parameterRanges.sorted(by: { $0.key < $1.key }) {
        parameters[name] = try number("\(prefix)parameters.\(name)", in: range)
      }
      presets[preset] = try Settings.PresetSettings(
        description: text(prefix + "description"), parameters: parameters)
    }
    return presets
  }

  /// Checks that every key of the defaults was read. A leftover key is a defect of the built-in file.
  func requireAllTaken() throws(SettingsError) {
    if let key = Set(layers.values.keys).subtracting(taken).min() {
      throw SettingsError(key: key, origin: layers.values[key]?.origin ?? "", problem: "no part of the program uses it")
    }
  }

  private func value(_ key: String) throws(SettingsError) -> LayeredValues.Value {
    taken.insert(key)
    guard let value = layers.values[key] else {
      throw SettingsError(key: key, origin: "built-in serialscan.yaml", problem: "the default is missing")
    }
    return value
  }

  private func error(_ key: String, _ value: LayeredValues.Value, _ problem: String) -> SettingsError {
    SettingsError(key: key, origin: value.origin, problem: "\(problem), not \"\(value.text)\"")
  }
}

import Foundation
import ScanModel
import Settings
import Testing

/// Settings from file, variables and flags: their precedence, and errors that name key, file and line.
@Suite final class SettingsTests {
  /// The folder of a test's settings files.
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("settings-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: folder) }

  @Test func defaultsAreComplete() throws {
    let settings = try Settings.load(file: nil, environment: [:])
    #expect(settings.port == 8000)
    #expect(settings.upload.pictures.maxPixels == 60_000_000)
    #expect(settings.workers >= 1)
    #expect(settings.warnings.isEmpty)
  }

  @Test func flagOverridesVariableOverridesFile() throws {
    let file = try file("port: 8001\nqueue:\n  lease: 7\n  backoff: 3\n")
    let settings = try Settings.load(
      file: file, environment: ["SERIALSCAN_PORT": "8002", "SERIALSCAN_QUEUE_LEASE": "8"],
      flags: [("port", "8003", "--port")])
    #expect(settings.port == 8003)
    #expect(settings.queue.lease == 8)
    #expect(settings.queue.backoff == 3)
  }

  @Test func namesFileAndLineOfUnknownKey() throws {
    let file = try file("port: 8001\nqueue:\n  leese: 7\n")
    let error = #expect(throws: SettingsError.self) { try Settings.load(file: file, environment: [:]) }
    #expect(error?.key == "queue.leese")
    #expect(error?.origin.hasSuffix(".yaml:3") == true)
    #expect(error?.problem.contains("queue.lease") == true)
  }

  @Test(arguments: [
    ("port: high\n", "port", 1), ("workers: -1\n", "workers", 1), ("log:\n  format: xml\n", "log.format", 2),
    ("reading:\n\n  accept: 1.5\n", "reading.accept", 3),
    ("server:\n  trusted_proxies: 10.0.0.0/8 proxy\n", "server.trusted_proxies", 2),
    ("server:\n  cors_origins: shop.example.com\n", "server.cors_origins", 2),
    ("server:\n  cors_origins: https://shop.example.com/\n", "server.cors_origins", 2),
    ("server:\n  cors_origins: \"* https://Shop.example.com\"\n", "server.cors_origins", 2),
    ("server:\n  hosts: https://scan.example.com\n", "server.hosts", 2),
    ("server:\n  hosts: scan.example.com:8000\n", "server.hosts", 2),
    ("presets:\n  engraved: {}\n", "presets.engraved", 2), ("port: {}\n", "port", 1), ("- a\n", "", 1),
  ])
  func namesFileAndLineOfInvalidValue(text: String, key: String, line: Int) throws {
    let file = try file(text)
    let error = #expect(throws: SettingsError.self) { try Settings.load(file: file, environment: [:]) }
    #expect(error?.key == key)
    #expect(error?.origin.hasSuffix(":\(line)") == true)
  }

  @Test func acceptsEmptyGroups() throws {
    let file = try file("presets: {etched: {}}\nserver: {}\n")
    #expect(try Settings.load(file: file, environment: [:]).port == 8000)
  }

  @Test func saysWhatSettingsFileHolds() throws {
    let file = try file("- a\n- b\n")
    let error = #expect(throws: SettingsError.self) { try Settings.load(file: file, environment: [:]) }
    #expect(error?.problem == "a settings file holds lines of `key: value`")
  }

  @Test func acceptsZeroWorkers() throws {
    #expect(try Settings.load(file: nil, environment: ["SERIALSCAN_WORKERS": "0"]).workers == 0)
    #expect(try Settings.load(file: nil, environment: ["SERIALSCAN_WORKERS": "auto"]).workers >= 1)
  }

  @Test func neverShowsStorePassword() throws {
    let flags = [("store.url", "postgresql://me:hush@db:5433/scans?password=hush&sslmode=require", "--store")]
    let settings = try Settings.load(file: nil, environment: [:], flags: flags)
    #expect(settings.store.url?.text.contains("hush") == true)
    let origins = try Settings.origins(file: nil, environment: [:], flags: flags)
    let shown = try #require(origins.first { $0.key == "store.url" })
    #expect(shown.value == "postgresql://db:5433/scans" && shown.origin == "--store")
    for text in ["\(settings)", String(reflecting: settings), "\(origins)"] { #expect(!text.contains("hush")) }
    for wrong in ["mysql://me:hush@db/x", "postgresql://me:hush@[db/x", "host=db password=hush"] {
      let error = #expect(throws: SettingsError.self) {
        try Settings.load(file: nil, environment: [:], flags: [("store.url", wrong, "--store")])
      }
      #expect(error?.key == "store.url" && error?.description.contains("hush") == false)
    }
  }

  @Test func showsSeveralStoreHostsWithoutSecrets() throws {
    for (address, shown) in [
      ("postgresql://me:hush@one:5433,two,[::1]/scans?target_session_attrs=read-write", "one:5433,two,[::1]/scans"),
      ("postgresql://one,two", "one,two"), ("postgresql:///scans?host=/run/a,/run/b&password=hu%40sh", "/scans"),
      ("postgres://me:hu?sh@one,two/scans", "one,two/scans"), ("postgresql://me:hu/sh@one/scans", "one/scans"),
      ("postgresql://me:hu@sh@one/scans?password=h@hush", "one/scans"),
    ] {
      let settings = try Settings.load(file: nil, environment: [:], flags: [("store.url", address, "--store")])
      #expect(settings.store.url?.text == address)
      let description = settings.store.url?.description ?? ""
      #expect(description == (address.hasPrefix("postgresql") ? "postgresql://" : "postgres://") + shown)
    }
  }

  @Test(arguments: [
    ("--workers", "--workers: expected"), ("SERIALSCAN_WORKERS", "SERIALSCAN_WORKERS: expected"),
    ("--set", "--set: workers: expected"),
  ])
  func errorNamesSettingOnce(origin: String, beginning: String) {
    let isFlag = origin.hasPrefix("--")
    let error = #expect(throws: SettingsError.self) {
      try Settings.load(
        file: nil, environment: isFlag ? [:] : [origin: "x"], flags: isFlag ? [("workers", "x", origin)] : [])
    }
    #expect(error?.description.hasPrefix(beginning) == true, "\(error?.description ?? "")")
  }

  @Test func rejectsAcceptBelowRefuse() throws {
    let error = #expect(throws: SettingsError.self) {
      try Settings.load(file: nil, environment: ["SERIALSCAN_READING_ACCEPT": "0.3"])
    }
    #expect(error?.key == "reading.accept" && error?.origin == "SERIALSCAN_READING_ACCEPT")
    let equal = ["SERIALSCAN_READING_ACCEPT": "0.4", "SERIALSCAN_READING_REFUSE": "0.4"]
    #expect(try Settings.load(file: nil, environment: equal).reading.accept == 0.4)
  }

  @Test(arguments: Preset.allCases)
  func rejectsParametersOutOfRange(preset: Preset) {
    for (name, range) in preset.parameterRanges {
      let key = "presets.\(preset.rawValue).parameters.\(name)"
      for value in [range.lowerBound - 0.01, range.upperBound + 0.01] {
        let error = #expect(throws: SettingsError.self) {
          try Settings.load(file: nil, environment: [:], flags: [(key, "\(value)", "--set")])
        }
        #expect(error?.key == key && error?.problem.hasPrefix("expected a number from ") == true, "\(value)")
      }
    }
  }

  @Test func namesSettingThatOperatorChanged() {
    let error = #expect(throws: SettingsError.self) {
      try Settings.load(file: nil, environment: ["SERIALSCAN_READING_REFUSE": "0.999"])
    }
    #expect(error?.key == "reading.refuse" && error?.origin == "SERIALSCAN_READING_REFUSE")
  }

  @Test(arguments: [
    ("queue: 5\n", ":1: queue: this is a group of settings; name one of them, such as queue.backoff"),
    ("queue:\n", ":1: queue: this is a group of settings; name one of them, such as queue.backoff"),
    ("a:\n  b: c\n", ":2: a.b: there is no such setting; `serialscan config` prints all of them"),
    (
      "fields:\n  custom: {grade: A}\n",
      ":2: fields.custom.grade: there is no such setting: fields.custom is a single value, not a group"
    ),
    (
      "fields:\n  custom: [grade]\n",
      ":2: fields.custom: lists are not supported; write several values as one text, separated by spaces"
    ),
    ("data: \"\"\n", ":1: data: must not be empty"),
    ("data: ~\n", ":1: data: expected a path without ~, which only shells expand, not \"~\""),
    (
      "export:\n  templates: ~/columns\n",
      ":2: export.templates: expected a path without ~, which only shells expand, not \"~/columns\""
    ),
    (
      "queue:\n lease: [1\n",
      ":3: this is not valid YAML: while parsing a flow sequence in line 2, column 9: did not find expected ',' or ']'"
    ),
    (
      "presets:\n  etched:\n    parameters:\n      closing: -1\n",
      ":4: presets.etched.parameters.closing: expected a number from 3 to 60, not \"-1\""
    ),
    ("port: 8000\nport: 8001\n", ": this is not valid YAML: port appears twice"),
    ("port: \u{1}\n", ": this is not valid YAML: control characters are not allowed"),
  ])
  func describesProblemInOneSentence(text: String, sentence: String) throws {
    let file = try file(text)
    let error = #expect(throws: SettingsError.self) { try Settings.load(file: file, environment: [:]) }
    #expect(error?.description == URL(fileURLWithPath: file).lastPathComponent + sentence)
  }

  @Test func namesInvalidVariable() {
    let error = #expect(throws: SettingsError.self) {
      try Settings.load(file: nil, environment: ["SERIALSCAN_PORT": "99999"])
    }
    #expect(error?.origin == "SERIALSCAN_PORT")
  }

  @Test func warnsOfUnknownVariable() throws {
    let settings = try Settings.load(file: nil, environment: ["SERIALSCAN_PROT": "1", "SERIALSCAN_PHOTOS": "x"])
    #expect(settings.warnings.count == 1)
    #expect(
      settings.warnings.first
        == "SERIALSCAN_PROT is not a setting and is ignored. Did you mean `SERIALSCAN_PORT`?")
  }

  @Test func startsWithRetiredSettings() throws {
    let file = try file("reading:\n  second_model: /usr/share/eng.traineddata\n")
    let settings = try Settings.load(file: file, environment: ["SERIALSCAN_READING_SECOND_MODEL": "/eng"])
    #expect(settings.warnings.count == 2)
    #expect(settings.warnings.allSatisfy { $0.contains("reading.second_model is no longer used; remove it") })
    #expect(settings.warnings.first?.contains(".yaml:2") == true)
  }

  @Test func rejectsBrokenAndMissingFiles() throws {
    #expect(throws: SettingsError.self) { try Settings.load(file: "/nowhere/x.yaml", environment: [:]) }
    let file = try file("port: [1, 2\n")
    #expect(throws: SettingsError.self) { try Settings.load(file: file, environment: [:]) }
  }

  /// A few lines of aliases can expand beyond any memory; they are rejected before the parser expands them.
  @Test(arguments: [
    "a: &a x\n", "port: *a\n", "a: [&b x]\n", "a: {b: *c}\n", "? *a\n: x\n", "- &a x\n",
    "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n? *c\n: x\n",
  ])
  func rejectsAnchorsAndAliases(text: String) throws {
    let file = try file(text)
    let error = #expect(throws: SettingsError.self) { try Settings.load(file: file, environment: [:]) }
    #expect(error?.problem.contains("aliases") == true, "\(error?.description ?? "")")
  }

  @Test func acceptsTextThatLooksLikeAnAlias() throws {
    let file = try file(
      "# *a &b\nserver:\n  cors_origins: \"*\" # every *one\ndata: '*it''s &c'\ndatasets: a*b&c d' \"e\n")
    let settings = try Settings.load(file: file, environment: [:])
    #expect(settings.server.corsOrigins == ["*"])
    #expect(settings.data == "*it's &c")
  }

  @Test(arguments: ["a", "'", "''", "\"", "\\", "#", " #", "&", " &", "- *", "[", "{", "\n", "a:\n ", "é", "\u{0}"])
  func doubleTextCostsAtMostDoubleWork(unit: String) {
    for head in ["", "'", "\"", "#", "a: "] {
      let once = Self.steps(head + String(repeating: unit, count: 20_000))
      let twice = Self.steps(head + String(repeating: unit, count: 40_000))
      #expect(once > 0 && twice <= 2 * once, "\(once), then \(twice)")
    }
    #expect(Self.steps(String(repeating: unit, count: SettingsText.mostBytes + 1)) == 0)
  }

  private static func steps(_ text: String) -> Int {
    var bounds = SettingsText()
    _ = bounds.problem(in: text)
    return bounds.steps
  }

  @Test func limitsDepthAndSize() throws {
    let deep = (0..<9).map { String(repeating: "  ", count: $0) + "a:" }.joined(separator: "\n") + " x\n"
    for text in [deep, String(repeating: "[", count: 5000), "port: 8001\n" + String(repeating: "#", count: 300_000)] {
      let file = try file(text)
      #expect(throws: SettingsError.self) { try Settings.load(file: file, environment: [:]) }
    }
  }

  /// Writes a settings file.
  private func file(_ text: String) throws -> String {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appendingPathComponent("\(UUID().uuidString).yaml")
    try text.write(to: url, atomically: true, encoding: .utf8)
    return url.path
  }
}

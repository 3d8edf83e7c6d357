import AppleSerial
import Exports
import Foundation
import JobStore
import SQLiteStore
import ScanModel
import Testing

/// Export templates and chosen columns: built-in templates, an operator's own, invalid files, and the resulting files.
@Suite struct ExportTemplateTests {
  private func withFolder(_ files: [String: String] = [:], _ body: (String) async throws -> Void) async throws {
    let folder = NSTemporaryDirectory() + "serialscan-templates-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
    try await body(folder)
  }

  private func read(_ name: String, in folder: String, custom: [String] = []) -> String? {
    do {
      return try ExportTemplates(folder: folder, custom: custom).template(named: name) == nil ? "there is none" : nil
    } catch {
      return "\(error)"
    }
  }

  /// The lines of a CSV without its byte order mark.
  private func lines(_ path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).replacing("\u{FEFF}", with: "").components(separatedBy: "\r\n")
  }

  private static let reads = [
    NewSerial(
      serial: "C02XL0THJHCC", confidence: 0.98, source: .scan, isValid: true, deviceType: "MacBook Pro",
      readAt: Date(timeIntervalSince1970: 1_700_000_000), filename: "=a.jpg", verdict: .accepted,
      fields: [
        FieldRead(kind: .modelNumber, text: "A2338", confidence: 0.99),
        FieldRead(kind: .modelIdentifier, text: "MacBookPro17,1", confidence: 0.99),
        FieldRead(kind: .color, text: "Silver", confidence: 0.9),
      ]),
    NewSerial(
      serial: "F2LXK1ABCD", confidence: 0.7, source: .ios, isValid: true, deviceType: "iPhone 12",
      notes: "=HYPERLINK(\"http://x\")", readAt: Date(timeIntervalSince1970: 1_700_003_600), verdict: .uncertain),
    NewSerial(
      serial: "C02XL0THJHCC", confidence: 0.91, source: .scan, isValid: true,
      readAt: Date(timeIntervalSince1970: 1_700_086_400), verdict: .uncertain),
    NewSerial(
      serial: "ABCDEFGH", confidence: 0.5, source: .mac, isValid: false,
      readAt: Date(timeIntervalSince1970: 1_700_090_000), verdict: .uncertain),
  ]

  private func withStore(_ body: (SQLiteJobStore, String) async throws -> Void) async throws {
    try await withFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/store/s.sqlite")
      for read in Self.reads { _ = try await store.save(read) }
      try await body(store, folder)
      try store.close()
    }
  }

  /// Writes an export with a layout and returns its lines.
  private func csv(_ layout: ExportLayout, of store: SQLiteJobStore, in folder: String) async throws -> [String] {
    var export = SerialExport(format: .csv)
    export.layout = layout
    let path = "\(folder)/\(UUID().uuidString).csv"
    try await export.write(from: store, toCheck: store, to: path)
    return try lines(path)
  }

  @Test func builtInTemplatesHaveHeadingsOfTheirPrograms() async throws {
    let plain = ExportTemplates(folder: nil).read()
    #expect(plain.templates.map(\.name) == ["glpi", "jamf", "plain", "snipe-it"] && plain.problems.isEmpty)
    #expect(plain.templates.allSatisfy { !$0.description.isEmpty && $0.layout.rows == .devices })
    #expect(plain.templates.count == ExportTemplates.embedded.count)
    let own = ExportTemplates(folder: nil, custom: ["asset_tag", "location", "customer", "grade"])
    try await withStore { store, folder in
      for (name, few, all) in [
        (
          "snipe-it", "Serial Number,Model Name,Model Number,Manufacturer,Category,Status,Asset Notes",
          "Asset Tag,Serial Number,Model Name,Model Number,Manufacturer,Category,Status,Company,Location,Grade,"
            + "Asset Notes"
        ),
        (
          "glpi", "Name;Serial number;Manufacturer;Model;Type;Comments",
          "Name;Serial number;Inventory number;Manufacturer;Model;Type;Location;Comments"
        ),
        ("jamf", "Serial Number,Device Type", "Serial Number,Device Type,Asset Tag"),
        (
          "plain", "Serial,Device type,Model,Last seen (UTC)",
          "Serial,Device type,Model,Asset tag,Grade,Location,Customer,Last seen (UTC)"
        ),
      ] {
        let layouts = try [ExportTemplates(folder: nil), own].map { try #require(try $0.template(named: name)).layout }
        for (layout, header) in zip(layouts, [few, all]) {
          let lines = try await csv(layout, of: store, in: folder)
          #expect(lines.first == header)
          #expect(lines.count == 5, "one row per device: \(lines)")
        }
      }
      let jamf = try #require(try ExportTemplates(folder: nil).template(named: "jamf")).layout
      #expect(
        try await csv(jamf, of: store, in: folder) == [
          "Serial Number,Device Type", "C02XL0THJHCC,Computer", "F2LXK1ABCD,Mobile Device", "ABCDEFGH,Unknown", "",
        ])
      let snipe = try #require(try ExportTemplates(folder: nil).template(named: "snipe-it")).layout
      let rows = try await csv(snipe, of: store, in: folder)
      #expect(rows[3] == "ABCDEFGH,Apple device,,Apple,Apple device,Pending,")
      #expect(rows[1].hasPrefix("C02XL0THJHCC,\"MacBook Pro (13-inch, M1, 2020)\",A2338,Apple,MacBook Pro,Pending,"))
      #expect(rows[2].hasSuffix(",\"'=HYPERLINK(\"\"http://x\"\")\""))
    }
  }

  @Test func importFilesContainOnlyRows() async throws {
    try await withStore { store, folder in
      var export = SerialExport(format: .xlsx)
      export.layout = try #require(try ExportTemplates(folder: nil).template(named: "jamf")).layout
      let path = folder + "/out.xlsx"
      try await export.write(from: store, toCheck: store, to: path)
      #expect(try Self.sheets(of: path) == ["Devices"])
      #expect(export.fileName().hasPrefix("jamf-") && export.fileName().hasSuffix(".xlsx"))
      export.format = .csv
      try await export.write(from: store, toCheck: store, to: path)
      #expect(FileManager.default.contents(atPath: path)?.prefix(6) == Data("Serial".utf8), "no byte order mark")
      export.layout = ExportLayout(standardOf: .devices)
      export.format = .xlsx
      try await export.write(from: store, toCheck: store, to: path)
      #expect(try Self.sheets(of: path) == ["Devices", "Needs review", "Summary"])
    }
  }

  /// The names of a workbook's sheets.
  private static func sheets(of path: String) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["unzip", "-p", path, "xl/workbook.xml"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text.matches(of: #/<sheet name="([^"]+)"/#).map { String($0.output.1) }
  }

  @Test func ownTemplateSetsOrderHeadingsAndTexts() async throws {
    let text = """
      # ours
      description: "Lot list"
      rows: reads
      separator: ";"
      columns:
        - column: color
          header: Farbe
          otherwise: unbekannt
        - {header: Serie, column: serial}
        - column: confidence
        - header: Lager
          text: "=1+1"
        - column: asset_tag
          optional: true
        - header: =SUM(A1)
          column: filename
      """
    try await withFolder(["lot.yaml": text]) { folder in
      let templates = ExportTemplates(folder: folder)
      #expect(templates.read().problems.isEmpty)
      let lot = try #require(try templates.template(named: "lot"))
      #expect(lot.description == "Lot list")
      try await withStore { store, folder in
        let lines = try await csv(lot.layout, of: store, in: folder)
        #expect(lines[0] == "Farbe;Serie;Confidence;Lager;'=SUM(A1)")
        #expect(lines[1] == "Silver;C02XL0THJHCC;0,98;'=1+1;'=a.jpg")
        #expect(lines[2] == "unbekannt;F2LXK1ABCD;0,7;'=1+1;")
        #expect(lines.count == 6, "one row per read")
      }
    }
  }

  @Test(arguments: [
    ("", "empty"), ("hello", "`key: value`"), ("columns: []", "bad.yaml:1: `columns` must be a list of 1 to"),
    ("description: x", "no `columns`"), ("rows: reads\ncolumns: serial", "bad.yaml:2: `columns` must be a list"),
    ("colums:\n  - column: serial", "bad.yaml:1: there is no field `colums` here"),
    ("columns:\n  - column: serail", "bad.yaml:2: there is no column `serail`"),
    ("columns:\n  - column: asset_tag", "named in fields.custom"),
    (
      "columns:\n  - column: serial\n  - header: serial\n    column: id",
      "bad.yaml:3: the heading “serial” is used twice"
    ),
    ("columns:\n  - column: serial\n  - column: serial", "the heading “Serial” is used twice"),
    (
      "columns:\n  - header: A\n    column: serial\n    text: x",
      "bad.yaml:4: a column has a `column` or a `text`, not both"
    ),
    ("columns:\n  - header: A", "bad.yaml:2: a column has a `column` or a `text`"),
    ("columns:\n  - text: A", "a column with a `text` needs a `header`"),
    ("columns:\n  - serial", "bad.yaml:2: lines like `key: value`"),
    ("columns:\n  - header: \"\"\n    column: serial", "must not be empty"),
    ("columns:\n  - header: \"a\\nb\"\n    column: serial", "must be one line"),
    ("columns:\n  - header: [a]\n    column: serial", "`header` must be text"),
    ("columns:\n  - column: first_seen", "`first_seen` is there only with `rows: devices`"),
    ("columns:\n  - column: serial\n    optional: perhaps", "bad.yaml:3: `optional` must be one of `true`, `false`"),
    ("rows: photos\ncolumns:\n  - column: serial", "bad.yaml:1: `rows` must be one of `reads`, `devices`"),
    ("separator: tab\ncolumns:\n  - column: serial", "`separator` must be one of"),
    ("columns:\n  - column: nothing\n    optional: true", "none of them exists"),
    ("columns: &a [*a]", "anchors and aliases"), ("columns:\n - {", "not valid YAML"), ("a: 1\na: 2", "not valid YAML"),
  ])
  func reportsLineOfInvalidFile(text: String, problem: String) async throws {
    try await withFolder(["bad.yaml": text]) { folder in
      let told = try #require(read("bad", in: folder))
      #expect(told.contains(problem) && !told.contains("\n"), "\(told)")
      #expect(ExportTemplates(folder: folder).read().problems == [told])
    }
  }

  @Test func rejectsHugeFilesAndSurvivesDeepOnes() async throws {
    let long = String(repeating: "x", count: 10_000)
    let accents = "e" + String(repeating: "\u{301}", count: 10_000)
    let deep = "columns: " + String(repeating: "[", count: 30_000)
    let many = "columns:\n" + (0..<300).map { "  - {header: h\($0), column: serial}\n" }.joined()
    for (text, problem) in [
      ("columns:\n  - header: \(long)\n    column: serial", "`header` is longer than 100 characters"),
      ("columns:\n  - header: \(accents)\n    column: serial", "`header` is longer than 100 characters"),
      ("columns:\n  - header: A\n    text: \(long)", "`text` is longer than 1000 characters"),
      ("columns:\n  - column: \(long)", "`column` is longer than 100 characters"), (deep, "not valid YAML"),
      (many, "a list of 1 to 200 columns"), (String(repeating: "#\n", count: 40_000), "at most 64 KB"),
    ] {
      try await withFolder(["bad.yaml": text]) { folder in
        let told = read("bad", in: folder) ?? "taken"
        #expect(told.contains(problem), "\(told.prefix(200))")
      }
    }
  }

  @Test func invalidFileLeavesOtherTemplates() async throws {
    let good = "columns:\n  - column: serial"
    try await withFolder([
      "good.yaml": good, "other.yml": good, "good.yml": good, "Bad Name.yaml": good, "wrong.yaml": "columns: 5",
      "jamf.yaml": good,
      "glpi.yaml": "columns: 5", "notes.txt": "nothing", ".hidden.yaml": "columns: 5",
    ]) { folder in
      #expect(mkfifo("\(folder)/pipe.yaml", 0o600) == 0)
      try FileManager.default.createDirectory(atPath: "\(folder)/folder.yaml", withIntermediateDirectories: true)
      try Data([0x80, 0xFF, 0x0A]).write(to: URL(fileURLWithPath: "\(folder)/bytes.yaml"))
      let templates = ExportTemplates(folder: folder)
      let (found, problems) = templates.read()
      // An invalid file does not silently restore the built-in template of its name.
      #expect(found.map(\.name) == ["good", "jamf", "other", "plain", "snipe-it"])
      #expect(problems.count == 7, "\(problems)")
      for (file, problem) in [
        ("wrong.yaml", "must be a list"), ("glpi.yaml", "must be a list"), ("pipe.yaml", "it is not a file"),
        ("folder.yaml", "it is not a file"), ("bytes.yaml", "not UTF-8"), ("good.yml", "good.yaml has the same name"),
        ("Bad Name.yaml", "lower-case letters"),
      ] { #expect(problems.contains { $0.hasPrefix(file) && $0.contains(problem) }, "\(file)") }
      #expect(
        try templates.template(named: "jamf")?.description == "", "the operator's template replaces the built-in one")
      #expect(read("glpi", in: folder)?.contains("must be a list") == true)
      #expect(try templates.template(named: "nothing") == nil)
      // A corrected file is used immediately.
      try Data(good.utf8).write(to: URL(fileURLWithPath: "\(folder)/wrong.yaml"))
      #expect(try templates.template(named: "wrong") != nil)
    }
    let gone = ExportTemplates(folder: "/nowhere/at/all").read()
    #expect(gone.templates.count == 4)
    #expect(
      gone.problems == [
        "export.templates: the folder /nowhere/at/all can't be read; check the path and its permissions"
      ])
  }

  @Test func rejectsUnknownAndRepeatedColumns() {
    let names = ExportColumn.all(custom: ["asset_tag", "serial"]).map(\.name)
    #expect(Set(names).count == names.count && names.suffix(2) == ["asset_tag", "custom.serial"])
    #expect(names.prefix(4) == ["id", "timestamp", "serial", "device_type"])
    #expect(names.filter { $0 == "serial" }.count == 1, "a custom field does not hide a column")
    for kind in DeviceField.Kind.allCases { #expect(names.contains(kind.rawValue), "\(kind)") }
  }

  @Test func chosenColumnsKeepTheirOrder() async throws {
    try await withStore { store, folder in
      let all = ExportColumn.all()
      let chosen = ["serial", "status", "color", "timestamp", "model_name"].compactMap { name in
        all.first { $0.name == name }
      }
      let lines = try await csv(ExportLayout(chosen, rows: .reads), of: store, in: folder)
      #expect(lines[0] == "Serial,Status,Color,Time (UTC),Model")
      #expect(lines[1] == "C02XL0THJHCC,accepted,Silver,2023-11-14 22:13:20,\"MacBook Pro (13-inch, M1, 2020)\"")
    }
  }

  @Test(arguments: [1, 2, 3, 1000]) func exportsOneRowPerDeviceWithItsBestRead(batchSize: Int) async throws {
    try await withStore { store, _ in
      var imported = ImportedDevice(serial: "FVFXC2AAJ1WL", isValid: true, custom: ["asset_tag": "=RM-7"])
      _ = try await store.importDevices([imported], dryRun: false)
      imported.serial = "F2LXK1ABCD"
      _ = try await store.importDevices([imported], dryRun: false)
      var rows: [ExportRow] = []
      try await DeviceRows(store, DeviceFilter(), models: .shared, batchSize: batchSize).forEachBatch { rows += $0 }
      #expect(rows.map(\.serial) == ["C02XL0THJHCC", "F2LXK1ABCD", "ABCDEFGH", "FVFXC2AAJ1WL"])
      let mac = try #require(rows.first)
      #expect(mac.sightings?.count == 2 && mac.deviceType == "MacBook Pro" && mac.read?.confidence == 0.98)
      #expect(mac.sightings?.first == Date(timeIntervalSince1970: 1_700_000_000))
      #expect(mac.sightings?.last == Date(timeIntervalSince1970: 1_700_086_400))
      #expect(rows.map { $0.custom["asset_tag"] } == [nil, "=RM-7", nil, "=RM-7"])
    }
  }

  @Test func customFieldsAreColumnsOfReadsAndDevices() async throws {
    try await withStore { store, folder in
      let tags = [("C02XL0THJHCC", "=1+1"), ("FVFXC2AAJ1WL", "RM-00042")]
      _ = try await store.importDevices(
        tags.map { ImportedDevice(serial: $0.0, isValid: true, custom: ["asset_tag": $0.1]) }, dryRun: false)
      let choices = ExportChoices(templates: nil, custom: ["asset_tag", "color"])
      #expect(
        choices.columns.suffix(2).map(\.name) == ["asset_tag", "custom.color"], "`color` is already a column of reads")
      let columns = ["serial", "asset_tag", "custom.color", "status"]
      let reads = try choices.layout(columns: columns, template: nil, rows: nil)
      #expect(
        try await csv(reads, of: store, in: folder) == [
          "Serial,asset_tag,color,Status", "C02XL0THJHCC,'=1+1,,accepted", "F2LXK1ABCD,,,uncertain",
          "C02XL0THJHCC,'=1+1,,uncertain", "ABCDEFGH,,,uncertain", "",
        ])
      let devices = try choices.layout(columns: columns, template: nil, rows: .devices)
      #expect(
        try await csv(devices, of: store, in: folder) == [
          "Serial,asset_tag,color,Status", "C02XL0THJHCC,'=1+1,,accepted", "F2LXK1ABCD,,,uncertain",
          "ABCDEFGH,,,uncertain", "FVFXC2AAJ1WL,RM-00042,,imported", "",
        ])
      let snipe = try choices.layout(columns: nil, template: "snipe-it", rows: nil)
      #expect(try await csv(snipe, of: store, in: folder)[4].hasPrefix("RM-00042,FVFXC2AAJ1WL,"))
      let standard = try choices.layout(columns: nil, template: nil, rows: nil)
      #expect(try await csv(standard, of: store, in: folder)[0].hasSuffix(",EID,asset_tag,color"))
    }
  }
}

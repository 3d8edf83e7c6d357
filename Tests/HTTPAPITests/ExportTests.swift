import Exports
import Foundation
import HTTPAPI
import JobStore
import Settings
import Testing

/// Covers the options of `/export` (columns, templates, rows), invalid ones, and those that `/config` lists.
@Suite struct ExportTests {
  private func api(templates: [String: String] = [:]) async throws -> RunningAPI {
    let api = try await RunningAPI {
      if !templates.isEmpty { $0.settings.export.templates = "\($0.settings.data)/templates" }
    }
    let folder = "\(api.dataPath)/templates"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, text) in templates { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
    for (serial, time) in [("C02XL0THJHCC", 1), ("C02G414GMD6N", 2), ("C02XL0THJHCC", 3)] {
      let body = """
        {"serial": "\(serial)", "confidence": 0.9\(time), "source": "ios", "device_type": "MacBook Pro", "notes": "=1+\(time)",
         "ts": "2026-01-0\(time)T00:00:00Z"}
        """
      #expect(try await RecordsTests.save(body, on: api).status == 200)
    }
    return api
  }

  private func lines(_ query: String, on api: RunningAPI) async throws -> [String] {
    let reply = try #require(await api.get("/export?format=csv&\(query)"))
    #expect(reply.status == 200, "\(reply.text)")
    return reply.text.replacing("\u{FEFF}", with: "").components(separatedBy: "\r\n")
  }

  @Test func keepsColumnOrderAndWritesFormulasAsText() async throws {
    let api = try await api()
    #expect(
      try await lines("columns=notes,serial,confidence", on: api) == [
        "Notes,Serial,Confidence", "'=1+1,C02XL0THJHCC,0.91", "'=1+2,C02G414GMD6N,0.92", "'=1+3,C02XL0THJHCC,0.93", "",
      ])
    #expect(try await lines("columns=serial&separator=%3B&search=C02G", on: api) == ["Serial", "C02G414GMD6N", ""])
    #expect(try await lines("columns=%20serial%20,%20source%20", on: api).first == "Serial,Source")
    // Without options the columns are the default ones.
    #expect(try await lines("", on: api).first?.hasPrefix("ID,Time (UTC),Serial,Device type,Preset,") == true)
  }

  @Test func exportsOneRowPerDeviceWithEveryFilter() async throws {
    let api = try await api()
    #expect(
      try await lines("rows=devices&columns=serial,times_seen,first_seen,last_seen,confidence", on: api) == [
        "Serial,Times seen,First seen (UTC),Last seen (UTC),Confidence",
        "C02XL0THJHCC,2,2026-01-01 00:00:00,2026-01-03 00:00:00,0.93",
        "C02G414GMD6N,1,2026-01-02 00:00:00,2026-01-02 00:00:00,0.92", "",
      ])
    for (filter, count) in [
      ("search=c02x", 1), ("device_type=macbook%20pro", 2), ("source=scan", 0), ("validation_status=invalid", 0),
      ("date_from=2026-01-02&date_to=2026-01-02&tz=UTC", 1), ("status=accepted", 0), ("status=uncertain", 2),
    ] { #expect(try await lines("rows=devices&\(filter)", on: api).count == count + 2, "\(filter)") }
    let header = try await lines("rows=devices", on: api)[0]
    #expect(header.hasPrefix("Serial,Device type,Model,Status,First seen (UTC),Last seen (UTC),Times seen,"))
    #expect(header.hasSuffix(",EID"))
    let reply = try #require(await api.get("/export?rows=devices"))
    #expect(
      reply.headers["content-disposition"]?.contains("devices-") == true && reply.body.prefix(2) == Data("PK".utf8))
  }

  @Test func exportsAndFiltersByBatch() async throws {
    let api = try await api()
    let ids = ["Lot 14, Monday", "Lot 15"].map { (UUID().uuidString.lowercased(), $0) }
    for (id, name) in ids {
      _ = try await api.store.addBatch(id: id, name: name, keyID: nil)
      let body = #"{"serial": "C02XL0THJHCC", "source": "scanner", "ts": "2026-02-01T00:00:00Z", "batch": "\#(id)"}"#
      #expect(try await RecordsTests.save(body, on: api).status == 200)
    }
    #expect(
      try await lines("columns=serial,batch&batch=\(ids[0].0)", on: api) == [
        "Serial,Batch", "C02XL0THJHCC,\"Lot 14, Monday\"", "",
      ])
    #expect(
      try await lines("rows=devices&columns=serial,batch", on: api) == [
        "Serial,Batch", "C02XL0THJHCC,\"Lot 15, Lot 14, Monday\"", "C02G414GMD6N,", "",
      ])
    let unknown = try #require(await api.get("/export?batch=\(UUID().uuidString)"))
    #expect(unknown.status == 404 && unknown.errorCode == "BATCH_NOT_FOUND")
  }

  @Test func listsAndAppliesTemplates() async throws {
    let api = try await api(templates: [
      "lot.yaml":
        "description: Our list\ncolumns:\n  - {header: Serie, column: serial}\n  - {header: Stock, text: \"@1\"}",
      "wrong.yaml": "columns:\n  - column: serail", "devices.yaml": "rows: devices\ncolumns: [{column: last_seen}]",
    ])
    let config = try #require(await api.get("/config")).json
    let templates = try #require(config["export_templates"] as? [[String: String]])
    #expect(templates.map { $0["name"] } == ["devices", "glpi", "jamf", "lot", "plain", "snipe-it"])
    #expect(templates[3]["description"] == "Our list")
    #expect(try await lines("template=lot&search=C02G", on: api) == ["Serie,Stock", "C02G414GMD6N,'@1", ""])
    #expect(try await lines("template=lot&rows=devices", on: api).count == 4)
    #expect(try await lines("template=snipe-it", on: api).count == 4, "one row per device")
    #expect(try await lines("template=snipe-it&rows=reads", on: api).count == 5)
    #expect(try await lines("template=glpi", on: api)[0].hasPrefix("Name;Serial number;"))
    #expect(try await lines("template=glpi&separator=,", on: api)[0].hasPrefix("Name,Serial number,"))
    let file = try #require(await api.get("/export?template=snipe-it&format=csv"))
    #expect(file.headers["content-disposition"]?.contains("snipe-it-") == true)
    #expect(file.body.prefix(6) == Data("Serial".utf8), "no byte order mark")
    let wrong = try #require(await api.get("/export?template=wrong"))
    #expect(wrong.status == 422 && wrong.detail?.contains("wrong.yaml:2: there is no column `serail`") == true)
    #expect(await api.get("/export?template=devices&rows=reads")?.detail?.contains("need `rows=devices`") == true)
  }

  @Test func exportsAndFiltersByCustomFields() async throws {
    let api = try await RunningAPI { $0.settings.fields.custom = [CustomField(name: "asset_tag", pattern: nil)] }
    for serial in ["C02XL0THJHCC", "C02G414GMD6N"] {
      let body = #"{"serial": "\#(serial)", "confidence": 0.9, "source": "ios"}"#
      #expect(try await RecordsTests.save(body, on: api).status == 200)
    }
    let change = await api.request(
      "PATCH", "/devices/C02XL0THJHCC", headers: ["Content-Type": "application/json"],
      body: Data(#"{"custom": {"asset_tag": "=RM-1"}}"#.utf8))
    #expect(change?.status == 200, "\(change?.text ?? "")")
    #expect(
      try await lines("rows=devices&columns=asset_tag,serial&custom.asset_tag=%3Drm-1", on: api) == [
        "asset_tag,Serial", "'=RM-1,C02XL0THJHCC", "",
      ])
    #expect(try await lines("columns=serial,asset_tag", on: api)[1] == "C02XL0THJHCC,'=RM-1")
    #expect(try await lines("template=jamf", on: api)[1] == "C02XL0THJHCC,Unknown,'=RM-1")
    #expect(await api.get("/export?custom.asset_tag=x")?.detail?.contains("need `rows=devices`") == true)
  }

  @Test func writesEveryListedColumn() async throws {
    let api = try await api()
    let config = try #require(await api.get("/config")).json
    let columns = try #require(config["export_columns"] as? [[String: Any]])
    let names = columns.compactMap { $0["name"] as? String }
    let header = try await lines("rows=devices&columns=\(names.joined(separator: ","))", on: api)[0]
    #expect(header == columns.compactMap { $0["label"] as? String }.joined(separator: ","))
  }

  @Test(arguments: [
    ("columns=serail", "Did you mean `serial`?"), ("columns=serial,serial", "`serial` is named twice"),
    ("columns=serial,", "``"), ("columns=,", "``"), ("columns=first_seen", "needs `rows=devices`"),
    ("status=accepted", "need `rows=devices`"), ("columns=serial&template=jamf", "exclude each other"),
    ("template=snipeit", "Did you mean `snipe-it`?"),
    ("template=../../etc/passwd", "There is no template"), ("rows=photos", "must be one of reads, devices"),
    ("columns=" + String(repeating: "x", count: 10_000), "longer than 4000"),
    ("columns=" + String(repeating: "x", count: 3_000), "There is no column"),
    ("columns=e" + String(repeating: "%CC%81", count: 1_500), "There is no column"),
    ("template=" + String(repeating: "x", count: 10_000), "longer than 100"), ("columns=a%00b", "NUL"),
  ])
  func namesInvalidOption(query: String, problem: String) async throws {
    let api = try await RunningAPI()
    let reply = try #require(await api.get("/export?\(query)"))
    #expect(reply.status == 422 && reply.errorCode == "INVALID_PARAMETER")
    #expect(reply.detail?.contains(problem) == true && reply.text.utf8.count < 3_000, "\(reply.text.prefix(300))")
  }
}

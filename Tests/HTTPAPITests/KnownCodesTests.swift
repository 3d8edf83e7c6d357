import Foundation
import JobStore
import ScanModel
import Testing

/// Covers the codes learned from confirmed serials, and access to and deletion of the fields beside a serial.
@Suite struct KnownCodesTests {
  private static let imei = "356938035643809"

  private func json(_ method: String, _ path: String, _ body: String, on api: RunningAPI) async throws
    -> Connection.Reply
  {
    try #require(
      await api.request(method, path, headers: ["Content-Type": "application/json"], body: Data(body.utf8)))
  }

  /// Reads a photo with a serial, a model number and an IMEI; returns the job's id.
  private func readPhoto(
    _ serial: String, model: FieldRead = FieldRead(kind: .modelNumber, text: "A2141", confidence: 0.99),
    on api: RunningAPI, key: [String: String] = [:]
  ) async throws -> String {
    var reading = Reading.sample(serials: [serial])
    reading.serials[0].fields = [model, FieldRead(kind: .imei, text: Self.imei, confidence: 0.99, check: true)]
    let id = try #require(await api.upload(Photo.jpeg(), headers: key)?.json["job_id"] as? String)
    try await api.readNext(as: reading)
    _ = await api.get("/result/\(id)?wait=20", headers: key)
    return id
  }

  private func codes(_ api: RunningAPI) async throws -> [String] {
    try await api.store.modelCodes().map { "\($0.code) \($0.model) \($0.confirmed)" }
  }

  @Test func confirmedSerialAddsItsCodeOnce() async throws {
    let api = try await RunningAPI()
    let id = try await readPhoto("C02ZK1ABMD6N", on: api)
    #expect(try await codes(api).isEmpty, "not confirmed yet")
    for _ in 0..<2 {
      #expect(try await json("POST", "/jobs/\(id)/confirm", #"{"serial": "C02ZK1ABMD6N"}"#, on: api).status == 200)
    }
    #expect(try await codes(api) == ["MD6N A2141 1"])
    #expect(await api.get("/stats")?.json["known_codes"] as? Int == 1)
  }

  @Test func correctionRevertsEarlierCode() async throws {
    let api = try await RunningAPI()
    let id = try await readPhoto("C02ZK1ABMD6N", on: api)
    _ = try await json("POST", "/jobs/\(id)/confirm", #"{"serial": "C02ZK1ABMD6M"}"#, on: api)
    #expect(try await codes(api) == ["MD6M A2141 1"])
    let saved = try await json("POST", "/jobs/\(id)/confirm", #"{"serial": "C02ZK1ABMD6N"}"#, on: api)
    #expect(try await codes(api) == ["MD6N A2141 1"])
    let number = try #require(saved.json["serial_id"] as? Int)
    let changed = try await json("PATCH", "/serials/\(number)", #"{"serial": "C02ZK1ABLVCF"}"#, on: api)
    #expect(try await codes(api) == ["LVCF A2141 1"])
    let item = try #require(changed.json["item"] as? [String: Any] ?? changed.json)
    #expect((item["meaning"] as? [String: Any])?["configuration_code"] as? String == "LVCF", "its meaning changes too")
    _ = try await json("PATCH", "/serials/\(number)", #"{"notes": "desk"}"#, on: api)
    #expect(try await codes(api) == ["LVCF A2141 1"])
  }

  @Test func uncertainReadAddsNoCode() async throws {
    let api = try await RunningAPI()
    let id = try await readPhoto(
      "C02ZK1ABMD6N", model: FieldRead(kind: .modelNumber, text: "A2141", confidence: 0.95), on: api)
    _ = try await json("POST", "/jobs/\(id)/confirm", #"{"serial": "C02ZK1ABMD6N"}"#, on: api)
    #expect(try await codes(api).isEmpty)
  }

  @Test func onlyConfirmationsCountForTheOnlyModelOfACode() async throws {
    let api = try await RunningAPI()
    let body = #"{"serial": "C02ZK1ABMD6N", "confidence": 0.99, "source": "ios"}"#
    _ = try await api.store.addModelCodes([ModelCode(code: "MD6N", model: "A2141", isImported: true)])
    let saved = try await RecordsTests.save(body, on: api)
    #expect(try await codes(api) == ["MD6N A2141 0"], "a device has read it, no person")
    let number = try #require(saved.json["serial_id"] as? Int)
    for _ in 0..<2 { _ = try await json("PATCH", "/serials/\(number)", #"{"serial": "C02ZK1ABMD6N"}"#, on: api) }
    #expect(try await codes(api) == ["MD6N A2141 1"])
  }

  @Test func knownCodeNamesModelEverywhere() async throws {
    let api = try await RunningAPI()
    _ = try await api.store.addModelCodes([ModelCode(code: "ZK9L", model: "Loaner 14", isImported: true)])
    let id = try await readPhoto(
      "C02ZK1ABZK9L", model: FieldRead(kind: .color, text: "Silver", confidence: 0.99), on: api)
    let result = try #require(await api.get("/result/\(id)")?.json["results"] as? [String: Any])
    var named = try #require(result["serials"] as? [[String: Any]])
    for path in ["/history", "/devices"] {
      named += try #require(await api.get(path)?.json["items"] as? [[String: Any]], "\(path)")
    }
    named.append(try #require(await api.get("/devices/C02ZK1ABZK9L")?.json))
    #expect(named.count == 4)
    for item in named {
      #expect((item["meaning"] as? [String: Any])?["model_name"] as? String == "Loaner 14", "\(item)")
    }
    for rows in ["reads", "devices"] {
      let text = await api.get("/export?format=csv&rows=\(rows)&columns=serial,model_name")?.text ?? ""
      #expect(text.contains("C02ZK1ABZK9L,Loaner 14"), "\(text)")
    }
  }

  @Test func deletingSerialKeepsCodesAndRemovesFields() async throws {
    let api = try await RunningAPI()
    let id = try await readPhoto("C02ZK1ABMD6N", on: api)
    let saved = try await json("POST", "/jobs/\(id)/confirm", #"{"serial": "C02ZK1ABMD6N"}"#, on: api)
    let number = try #require(saved.json["serial_id"] as? Int)
    #expect(await api.get("/history?search=C02ZK1ABMD6N")?.text.contains(Self.imei) == true)
    #expect(await api.request("DELETE", "/serials/\(number)")?.status == 200)
    #expect(await api.get("/history")?.text.contains(Self.imei) == false)
    #expect(await api.get("/export?format=csv")?.text.contains(Self.imei) == false)
    #expect(try await codes(api) == ["MD6N A2141 1"])
    #expect(await api.request("DELETE", "/jobs/\(id)")?.status == 200)
    #expect(await api.get("/result/\(id)")?.status == 404)
  }

  @Test func onlyKeysThatSeeTheSerialSeeItsFields() async throws {
    let api = try await RunningAPI()
    let (mine, other) = try await (api.addKey([.scan]), api.addKey([.scan]))
    func header(_ key: String) -> [String: String] { ["Authorization": "Bearer \(key)"] }
    let id = try await readPhoto("C02ZK1ABMD6N", on: api, key: header(mine))
    for path in ["/result/\(id)", "/jobs", "/history"] {
      #expect(await api.get(path, headers: header(other))?.text.contains(Self.imei) == false, "\(path)")
    }
    #expect(await api.get("/result/\(id)", headers: header(mine))?.text.contains(Self.imei) == true)
    #expect(await api.get("/history", headers: header(mine))?.text.contains(Self.imei) == true)
  }

  @Test func metricsContainNoFieldOrCode() async throws {
    let api = try await RunningAPI()
    let id = try await readPhoto("C02ZK1ABMD6N", on: api)
    _ = try await json("POST", "/jobs/\(id)/confirm", #"{"serial": "C02ZK1ABMD6N"}"#, on: api)
    let metrics = try #require(await api.get("/metrics")?.text)
    #expect(metrics.contains("serialscan_"))
    for text in [Self.imei, "C02ZK1ABMD6N", "MD6N", "A2141"] { #expect(!metrics.contains(text), "\(text)") }
  }
}

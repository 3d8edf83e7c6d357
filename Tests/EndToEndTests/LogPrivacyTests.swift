import Foundation
import Testing

/// Serials and file names are personal data: the log contains neither.
@Suite struct LogPrivacyTests {
  @Test func logContainsNoSerialOrFileNameAtAnyLevel() async throws {
    let server = try RunningServer(settings: ["log.level=trace"])
    let picture = try #require(
      LabelledPicture.all(in: LabelledPicture.generated).first { $0.description == "etched_clean_1.jpg" })
    let name = "Erika \(picture.serial).jpg"
    let read = try await server.upload(picture.data, to: "/process-serial", filename: name)
    #expect(read.json["serial"] as? String == picture.serial)
    let damaged = try await server.upload(picture.data.prefix(3_000), to: "/process-serial", filename: name)
    #expect(damaged.errorCode == "DAMAGED_IMAGE")
    let saved = try await server.request(
      "POST", "/serials", headers: ["Content-Type": "application/json"],
      body: JSONSerialization.data(
        withJSONObject: ["serial": picture.serial, "confidence": 0.9, "source": "ios", "notes": "Erika"]))
    #expect(saved.status == 200)
    let found = try await server.get("/history?search=\(picture.serial)")
    #expect((found.json["items"] as? [[String: Any]])?.contains { $0["filename"] as? String == name } == true)
    #expect(server.stop() == 0)
    #expect(server.logText.contains("/process-serial"), "requests are logged")
    #expect(!server.logText.contains(picture.serial) && !server.logText.contains("Erika"), "\(server.logText)")
  }

  @Test func logAndMetricsContainNoIdentifyingField() async throws {
    let server = try RunningServer(settings: ["log.level=trace"])
    let picture = try #require(
      LabelledPicture.all(in: LabelledPicture.generated).first { $0.description == "sticker_medium_3.jpg" })
    let read = try await server.upload(picture.data, to: "/process-serial")
    let fields = try #require(read.json["fields"] as? [String: [String: Any]])
    let numbers = ["imei", "imei2"].compactMap { fields[$0]?["text"] as? String }
    #expect(numbers.count == 2, "\(fields)")
    for number in numbers { _ = try await server.get("/history?search=\(number)") }
    let metrics = String(decoding: try await server.get("/metrics").body, as: UTF8.self)
    #expect(server.stop() == 0)
    for number in numbers {
      #expect(!server.logText.contains(number) && !metrics.contains(number), "\(server.logText)")
    }
  }
}

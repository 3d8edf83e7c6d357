import Foundation
import Testing

/// Covers times and texts from clients: invalid ones return 422, and accepted ones break no list, statistic or export.
@Suite struct CalendarTimesTests {
  private func save(_ time: String, on api: RunningAPI) async throws -> Connection.Reply {
    try await RecordsTests.save(
      #"{"serial": "C02XL0THJHCC", "confidence": 0.9, "source": "ios", "ts": "\#(time)"}"#, on: api)
  }

  @Test func acceptsTimesWithFractionsAndOffsets() async throws {
    let api = try await RunningAPI()
    for (text, shown) in [
      ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
      ("2024-02-29T23:59:59.999999999z", "2024-02-29T23:59:59Z"), ("2026-01-31t12:00:00+01:30", "2026-01-31T10:30:00Z"),
      ("2026-01-01T00:00:00-00:00", "2026-01-01T00:00:00Z"), ("2000-03-01T00:00:00+00:01", "2000-02-29T23:59:00Z"),
    ] {
      let reply = try await save(text, on: api)
      #expect(reply.status == 200 && reply.json["timestamp"] as? String == shown, "\(text): \(reply.text)")
    }
    for path in ["/history", "/stats", "/export", "/export?format=csv", "/stats?days=366"] {
      #expect(await api.get(path)?.status == 200, "\(path)")
    }
  }

  @Test func rejectsTimesMoreThanADayAhead() async throws {
    let api = try await RunningAPI()
    for (hours, status) in [(23.0, 200), (25, 422)] {
      let time = Date(timeIntervalSinceNow: hours * 3600).ISO8601Format()
      let reply = try await save(time, on: api)
      #expect(reply.status == status, "\(time): \(reply.text)")
    }
    for time in ["2100-03-01T00:00:00Z", "9999-12-31T23:59:59Z"] {
      #expect(try await save(time, on: api).errorCode == "INVALID_PARAMETER", "\(time)")
    }
  }

  @Test func rejectsInvalidTimes() async throws {
    let api = try await RunningAPI()
    for text in [
      "", "2026-02-30T00:00:00Z", "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
      "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-01T25:61:61Z",
      "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T23:59:60Z", "2026-01-01T00:00:00",
      "2026-01-01T00:00:00Zjunk", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.-1Z", "2026-01-01T00:00:00+24:00",
      "2026-01-01T00:00:00+1:00", "2026-01-01 00:00:00Z", "2026-01-01", "10000-01-01T00:00:00Z",
      "300000-01-01T00:00:00Z", "99999999999-01-01T00:00:00Z", "-2026-01-01T00:00:00Z", "1969-12-31T23:59:59Z",
      "1970-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "２０２６-01-01T00:00:00Z", "+026-01-01T00:00:00Z",
    ] {
      let reply = try await save(text, on: api)
      #expect(reply.status == 422 && reply.errorCode == "INVALID_PARAMETER", "\(text): \(reply.text)")
    }
    #expect(await api.get("/stats")?.json["total_serials"] as? Int == 0)
    for day in ["10000-01-01", "1969-12-31", "2026-02-29", "+026-01-01", "99999999-01-01", "2026-01-01Z"] {
      #expect(await api.get("/export?date_from=\(day)")?.errorCode == "INVALID_PARAMETER", "\(day)")
    }
    #expect(await api.get("/export?date_from=1970-01-01&date_to=9999-12-31")?.status == 200)
    for zone in ["UTC", "America/Los_Angeles"] {
      let range = await api.get("/history?date_to=9999-12-31&tz=\(zone)")?.json["range"] as? [String: Any]
      #expect(range?["until"] as? String == "9999-12-31T23:59:59Z", "RFC 3339 has no later year")
    }
  }

  @Test func decodesQueriesAsForms() async throws {
    let api = try await RunningAPI()
    for type in ["MacBook Pro", "C++"] {
      let body = #"{"serial": "C02XL0THJHCC", "confidence": 0.9, "source": "ios", "device_type": "\#(type)"}"#
      #expect(try await RecordsTests.save(body, on: api).status == 200)
    }
    for query in ["device_type=MacBook+Pro", "device_type=MacBook%20Pro", "search=book+pro", "device_type=C%2B%2B"] {
      #expect(await api.get("/history?\(query)")?.json["total"] as? Int == 1, "\(query)")
    }
  }

  @Test func rejectsNULCharactersEverywhere() async throws {
    let api = try await RunningAPI()
    for path in [
      "/history?search=abc%00", "/history?device_type=%00", "/jobs?cursor=a%00", "/export?device_type=a%00",
      "/evaluate?dir=a%00", "/stats?days=1%00", "/history?search=%FF", "/params?anything=%00",
    ] { #expect(await api.get(path)?.errorCode == "INVALID_PARAMETER", "\(path)") }
    #expect(await api.upload(Photo.jpeg(), to: "/scan?device_type=a%00")?.errorCode == "INVALID_PARAMETER")
    #expect(await api.upload(Photo.jpeg(), fields: ["device_type": "a\0"])?.errorCode == "INVALID_PARAMETER")
    for field in ["device_type", "notes"] {
      let body = #"{"serial": "C02XL0THJHCC", "confidence": 0.9, "source": "ios", "\#(field)": "a\u0000"}"#
      #expect(try await RecordsTests.save(body, on: api).errorCode == "INVALID_PARAMETER", "\(field)")
    }
    #expect(await api.get("/result/abc%00")?.errorCode == "JOB_NOT_FOUND")
    #expect(api.files.isEmpty)
  }
}

import Foundation
import HTTPAPI
import JobStore
import Testing

/// Covers the permissions of keys: each scope by its table, and a `scan` key only its own data.
@Suite struct OwnershipTests {
  private func header(_ key: String) -> [String: String] { ["Authorization": "Bearer \(key)"] }

  @Test func scopesPermitWhatTheTableSays() async throws {
    let api = try await RunningAPI()
    let keys = try await (api.addKey([.scan]), api.addKey([.read]), api.addKey([.admin]))
    let may: [String: [Bool]] = [
      "any": [true, true, true], "scan": [true, false, true], "own": [true, true, true],
      "change": [true, false, true], "read": [false, true, true],
      "admin": [false, false, true],
    ]
    for (name, facts) in api.facts {
      let parts = name.split(separator: " ")
      let path = String(parts[1]).replacing(#/\{[a-z_]+\}/#, with: "0")
      guard let may = may[facts.access] else {
        #expect(await api.request(String(parts[0]), path)?.status != 401, "\(name)")
        continue
      }
      for (key, isAllowed) in zip([keys.0, keys.1, keys.2], may) {
        // An invalid id starts no stream.
        let headers = header(key).merging(["Last-Event-ID": "none"]) { $1 }
        let status = await api.request(String(parts[0]), path, headers: headers, body: Data())?.status
        #expect((status == 403) == !isAllowed, "\(name) \(String(describing: status))")
      }
      #expect(await api.request(String(parts[0]), path, body: Data())?.status == 401, "\(name)")
    }
  }

  @Test func scanKeySeesOnlyItsOwnJobs() async throws {
    let api = try await RunningAPI()
    let (mine, other, reader) = try await (api.addKey([.scan]), api.addKey([.scan]), api.addKey([.read]))
    let photo = try #require(await api.upload(Photo.jpeg(), headers: header(mine)))
    let id = try #require(photo.json["job_id"] as? String)
    try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"]))
    let body = Data(#"{"serial": "C02G414GMD6N", "confidence": 0.95, "source": "ios"}"#.utf8)
    let json = header(mine).merging(["Content-Type": "application/json"]) { $1 }
    #expect(await api.request("POST", "/serials", headers: json, body: body)?.status == 200)
    let serial = try #require(
      try await api.store.serials(SerialQuery()).items.first { $0.serial == "C02G414GMD6N" })
    #expect(serial.keyID == mine.split(separator: "_").dropFirst().first.map(String.init))

    func count(_ path: String, _ key: String) async -> Int? {
      (await api.get(path, headers: header(key))?.json["items"] as? [Any])?.count
    }
    for (key, jobs, serials, status) in [(mine, 1, 2, 200), (other, 0, 0, 404), (reader, 1, 2, 200)] {
      #expect(await count("/jobs", key) == jobs)
      #expect(await count("/history", key) == serials)
      #expect(await api.get("/history", headers: header(key))?.json["total"] as? Int == serials)
      #expect(await api.get("/result/\(id)", headers: header(key))?.status == status)
      #expect(await api.get("/result/\(id)?wait=1", headers: header(key))?.status == status)
      let original = await api.get("/result/\(id)/photo", headers: header(key))
      #expect(original?.status == status)
      for read in ["image", "explanation"] {
        let reply = await api.get("/result/\(id)/\(read)", headers: header(key))
        #expect((reply?.errorCode == "JOB_NOT_FOUND") == (status == 404))
      }
      let history = await api.get("/serials/\(serial.id)/history", headers: header(key))
      #expect(history?.status == status)
    }
    let confirmation = Data(#"{"serial": "C02G414GMD6N"}"#.utf8)
    for (key, status) in [(other, 404), (mine, 200)] {
      let headers = header(key).merging(["Content-Type": "application/json"]) { $1 }
      let reply = await api.request("POST", "/jobs/\(id)/confirm", headers: headers, body: confirmation)
      #expect(reply?.status == status)
    }
    #expect(await api.get("/export?format=csv", headers: header(reader))?.text.contains("C02G414GMD6N") == true)
  }

  @Test func scanKeyDeletesOnlyItsOwnJobs() async throws {
    let api = try await RunningAPI()
    let (mine, other, reader) = try await (api.addKey([.scan]), api.addKey([.scan]), api.addKey([.scan, .read]))
    func upload() async throws -> String {
      try #require(await api.upload(Photo.jpeg(), headers: header(mine))?.json["job_id"] as? String)
    }
    func delete(_ id: String, _ key: String) async -> Connection.Reply? {
      await api.request("DELETE", "/jobs/\(id)", headers: header(key))
    }
    let (first, second, waiting) = try await (upload(), upload(), upload())
    let claimed = try #require(try await api.store.claimNext(worker: "w", lease: 30))
    try await api.store.finish(claimed.claim, with: .read(.sample(serials: ["C02G414GMD6N"]), save: true))
    let reading = try #require(try await api.store.claimNext(worker: "w", lease: 30))
    #expect(claimed.job.id == first && reading.job.id == second)
    for id in [first, second, waiting] {
      // Another key's job is invisible, or visible but can't be changed.
      #expect(await delete(id, other)?.status == 404)
      #expect(await delete(id, reader)?.errorCode == "FORBIDDEN")
      #expect(await delete(id + "?serial=true", reader)?.status == 403)
    }
    #expect(await delete(second, mine)?.status == 200, "it is being read")
    await #expect(throws: StoreError.claimLost(jobID: second)) {
      try await api.store.finish(reading.claim, with: .read(.sample(serials: ["C02XL0THJHCC"]), save: true))
    }
    #expect(await delete(waiting, mine)?.status == 200)
    #expect(try await api.store.serialCount(SerialFilter()) == 1)
    #expect(await delete(first + "?serial=true", mine)?.status == 200)
    #expect(try await api.store.serialCount(SerialFilter()) == 0)
    for id in [first, second, waiting] {
      #expect(await api.get("/result/\(id)", headers: header(mine))?.status == 404)
      #expect(await delete(id, mine)?.errorCode == "JOB_NOT_FOUND")
    }
    #expect(try await api.filesAfterAWhile() == [])
  }

  @Test func scanKeyReviewsOnlyItsOwnJobs() async throws {
    let api = try await RunningAPI()
    let (mine, other, reader) = try await (api.addKey([.scan]), api.addKey([.scan]), api.addKey([.scan, .read]))
    let admin = try await api.addKey([.admin])
    let id = try #require(await api.upload(Photo.jpeg(), headers: header(mine))?.json["job_id"] as? String)
    try await api.readNext(as: .sample(serials: []))
    for (key, status) in [(other, 404), (reader, 403), (mine, 200)] {
      let headers = header(key).merging(["Content-Type": "application/json"]) { $1 }
      let body = Data(#"{"outcome": "retake"}"#.utf8)
      #expect(await api.request("POST", "/jobs/\(id)/review", headers: headers, body: body)?.status == status)
    }
    for (key, status) in [(other, 404), (reader, 403), (mine, 200)] {
      #expect(await api.request("DELETE", "/jobs/\(id)/review", headers: header(key))?.status == status)
    }
    // Results say what the key may do, also those that are cached, and `can_change` lists only those.
    for (key, canChange) in [(mine, true), (reader, false), (mine, true), (admin, true)] {
      #expect(await api.get("/result/\(id)", headers: header(key))?.json["can_change"] as? Bool == canChange)
      let jobs = await api.get("/jobs?can_change=true", headers: header(key))?.json["items"] as? [Any]
      #expect(jobs?.isEmpty == !canChange)
    }
    // All keys see the photos of a batch.
    let json = header(mine).merging(["Content-Type": "application/json"]) { $1 }
    let batch = try #require(
      await api.request("POST", "/batches", headers: json, body: Data(#"{"name": "Lot"}"#.utf8))?.json["id"] as? String)
    let shared = try #require(
      await api.upload(Photo.jpeg(), fields: ["batch": batch], headers: header(mine))?.json["job_id"] as? String)
    #expect(await api.request("DELETE", "/jobs/\(shared)/review", headers: header(other))?.errorCode == "FORBIDDEN")
  }

  @Test func scanKeyChangesOnlyItsOwnSavedSerials() async throws {
    let api = try await RunningAPI()
    let (mine, other, reader) = try await (api.addKey([.scan]), api.addKey([.scan]), api.addKey([.scan, .read]))
    func ask(_ method: String, _ path: String, _ key: String, _ body: String = "") async -> Connection.Reply? {
      let headers = header(key).merging(["Content-Type": "application/json"]) { $1 }
      return await api.request(method, path, headers: headers, body: Data(body.utf8))
    }
    let serial = #"{"serial": "C02XL0THJHCC", "source": "scanner"}"#
    let id = try #require(await ask("POST", "/serials", mine, serial)?.json["serial_id"] as? Int)
    for (key, status) in [(other, 404), (reader, 403), (mine, 200)] {
      #expect(await ask("PATCH", "/serials/\(id)", key, #"{"notes": "bench 3"}"#)?.status == status)
    }
    #expect(await ask("GET", "/history", reader)?.text.contains("bench 3") == true)
    for (key, status) in [(other, 404), (reader, 403), (mine, 200), (mine, 404)] {
      #expect(await api.request("DELETE", "/serials/\(id)", headers: header(key))?.status == status)
    }
  }

  @Test func readKeySeesJobsFromBeforeKeysExisted() async throws {
    let api = try await RunningAPI()
    let id = try #require(await api.upload(Photo.jpeg())?.json["job_id"] as? String)
    #expect(await api.get("/result/\(id)")?.status == 200)
    let (scan, read) = try await (api.addKey([.scan]), api.addKey([.read]))
    try await Task.sleep(for: .seconds(2.1))
    #expect(await api.get("/result/\(id)", headers: header(scan))?.status == 404)
    #expect(await api.get("/result/\(id)", headers: header(read))?.status == 200)
  }

  @Test func jobKeepsItsRequestIDAndTrace() async throws {
    let api = try await RunningAPI()
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    let headers = ["X-Request-ID": "mine-8", "traceparent": "00-\(trace)-00f067aa0ba902b7-01"]
    let id = await api.upload(Photo.jpeg(), headers: headers)?.json["job_id"] as? String
    #expect(try await api.job(id)?.request.origin == Origin(keyID: nil, requestID: "mine-8", traceID: trace))
  }
}

import Foundation
import HTTPAPI
import JobStore
import ScanModel
import Testing

/// Covers `GET /result/{job_id}/thumbnail` and the fields with its address.
@Suite struct ThumbnailTests {
  private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + (0..<2000).map { UInt8($0 % 251) }

  /// Sends a photo and ends its job with a thumbnail, or without one; returns the job's id.
  private func end(
    _ api: RunningAPI, serials: [String] = ["C02XL0THJHC1"], thumbnail: [UInt8]? = jpeg, key: String? = nil
  ) async throws -> String {
    let headers = key.map { ["Authorization": "Bearer \($0)"] } ?? [:]
    let id = try #require(await api.upload(Photo.jpeg(), headers: headers)?.json["job_id"] as? String)
    let claimed = try #require(try await api.store.claimNext(worker: "w", lease: 60))
    try await api.store.finish(
      claimed.claim, with: .read(.sample(serials: serials), save: !serials.isEmpty),
      pictures: JobPictures(thumbnail: thumbnail))
    return id
  }

  private func addresses(_ api: RunningAPI, _ id: String) async throws -> [String?] {
    let result = await api.get("/result/\(id)")?.json["thumbnail_url"] as? String
    func first(_ path: String) async -> String? {
      (await api.get(path)?.json["items"] as? [[String: Any]])?.first?["thumbnail_url"] as? String
    }
    return [result, await first("/jobs?limit=1"), await first("/history?limit=1")]
  }

  @Test func servesThumbnailUntilPhotoIsDeleted() async throws {
    let api = try await RunningAPI()
    let id = try await end(api)
    let path = "/result/\(id)/thumbnail"
    #expect(try await addresses(api, id) == [path, path, path])
    let reply = try #require(await api.get(path))
    #expect(reply.status == 200 && Array(reply.body) == Self.jpeg)
    #expect(reply.headers["content-type"] == "image/jpeg")
    #expect(reply.headers["cache-control"] == "private, max-age=86400, immutable")

    let later = Date(microseconds: try await api.store.now() + 1_000_000)
    #expect(try await api.store.prunePhotos(endedBefore: later, limit: 10) == 1)
    #expect(try await addresses(api, id) == [nil, nil, nil])
    let gone = await api.get(path)
    #expect(gone?.status == 410 && gone?.errorCode == "PHOTO_GONE")
    #expect(await api.request("DELETE", "/jobs/\(id)")?.status == 200)
    #expect(await api.get(path)?.errorCode == "JOB_NOT_FOUND")
  }

  @Test func onlyReadPhotosHaveThumbnails() async throws {
    let api = try await RunningAPI()
    let silent = try await end(api, serials: [])
    #expect(await api.get("/result/\(silent)/thumbnail")?.status == 200)
    let without = try await end(api, thumbnail: nil)
    let waiting = try #require(await api.upload(Photo.jpeg())?.json["job_id"] as? String)
    for id in [without, waiting] {
      #expect(await api.get("/result/\(id)")?.json["thumbnail_url"] is NSNull)
      let reply = await api.get("/result/\(id)/thumbnail")
      #expect(reply?.status == 404 && reply?.errorCode == "IMAGE_NOT_FOUND")
    }
    #expect(await api.get("/result/nothing/thumbnail")?.errorCode == "JOB_NOT_FOUND")
  }

  @Test func hidesThumbnailsOfOtherKeys() async throws {
    let api = try await RunningAPI()
    let (mine, other) = try await (api.addKey([.scan]), api.addKey([.scan]))
    let id = try await end(api, key: mine)
    for (key, status) in [(mine, 200), (other, 404)] {
      let reply = await api.get("/result/\(id)/thumbnail", headers: ["Authorization": "Bearer \(key)"])
      #expect(reply?.status == status)
    }
  }
}

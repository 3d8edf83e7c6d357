import Foundation
import SerialScanClient
import Testing

@testable import SerialScanClient

/// Which requests are retried, and when.
@Suite struct RetryTests {
  static let quick = RetryPolicy(attempts: 4, firstPause: .milliseconds(10), longestPause: .milliseconds(50))
  let photo = ImageSource.data(Data("photo".utf8), filename: "p.jpg")

  func client(_ server: StubServer, retries: RetryPolicy = quick, deadlines: Deadlines = Deadlines())
    -> SerialScanClient
  { SerialScanClient(baseURL: server.address, retries: retries, deadlines: deadlines) }

  @Test func lostConnectionsAndFullQueuesAreRetriedWithOneKey() async throws {
    let server = try StubServer([nil, StubServer.error(503, "QUEUE_FULL"), nil, StubServer.scanned])
    _ = try await client(server).scan(image: photo)
    #expect(server.requests.count == 4)
    let keys = server.requests.map { $0.firstMatch(of: /(?i)idempotency-key: (\S+)/)?.1 }
    #expect(keys.first! != nil)
    #expect(Set(keys).count == 1)
    #expect(server.requests.allSatisfy { $0.contains("name=\"image\"; filename=\"p.jpg\"\r\n\r\nphoto\r\n--") })
  }

  @Test func eachPhotoHasItsOwnKey() async throws {
    let server = try StubServer([StubServer.scanned])
    for _ in 1...2 { _ = try await client(server).scan(image: photo) }
    #expect(Set(server.requests.map { $0.firstMatch(of: /(?i)idempotency-key: (\S+)/)?.1 }).count == 2)
  }

  @Test func callbackIsSentIfGiven() async throws {
    let server = try StubServer([StubServer.scanned])
    let client = client(server)
    _ = try await client.scan(image: photo)
    _ = try await client.scan(image: photo, callbackURL: URL(string: "https://hooks.example.com/a?b=c&d=e")!)
    let part = "name=\"callback_url\"\r\n\r\nhttps://hooks.example.com/a?b=c&d=e\r\n"
    #expect(server.requests.map { $0.contains(part) } == [false, true])
    #expect(server.requests.allSatisfy { $0.hasPrefix("POST /scan HTTP/1.1") })
  }

  @Test func retryAfterIsHonoured() async throws {
    let server = try StubServer([
      StubServer.error(429, "RATE_LIMITED", headers: "Retry-After: 1\r\n"), StubServer.scanned,
    ])
    let begin = ContinuousClock.now
    _ = try await client(server).scan(image: photo)
    #expect(ContinuousClock.now - begin >= .seconds(1))
  }

  @Test func attemptsAreLimited() async throws {
    let server = try StubServer([nil])
    let error = await #expect(throws: SerialScanError.self) { try await client(server).scan(image: photo) }
    #expect(error?.errorCode == .connectionLost)
    #expect(error?.isRetryable == true)
    #expect(server.requests.count == 4)
  }

  @Test func rejectedPhotoIsNotRetried() async throws {
    let server = try StubServer([StubServer.error(422, "UNSUPPORTED_IMAGE")])
    let error = await #expect(throws: SerialScanError.self) { try await client(server).scan(image: photo) }
    #expect(error?.detail == "d")
    #expect(error?.concernsPhoto == true)
    #expect(server.requests.count == 1)
  }

  @Test func errorOfProxyDoesNotConcernPhoto() async throws {
    let server = try StubServer([StubServer.Answer(status: 400, body: "<html>")])
    let error = await #expect(throws: SerialScanError.self) { try await client(server).scan(image: photo) }
    #expect(error?.errorCode.rawValue == "HTTP_400")
    #expect(error?.concernsPhoto == false)
  }

  @Test func unreadableAnswerIsRetried() async throws {
    let server = try StubServer([StubServer.Answer(status: 200, body: "{\"job_id\": \"1"), StubServer.scanned])
    _ = try await client(server).scan(image: photo)
    #expect(server.requests.count == 2)
  }

  @Test func serialOfDeviceIsRetriedWithOneKey() async throws {
    let saved = #"""
      {"success":true,"serial_id":1,"message":"m","validation_passed":true,"confidence_acceptable":true,"timestamp":\#
      "2026-11-21T05:34:41Z"}
      """#
    let server = try StubServer([nil, StubServer.error(503, "STORAGE_UNAVAILABLE"), .init(status: 200, body: saved)])
    _ = try await client(server).submit(serial: DeviceSerial(serial: "C02XL0THJHCC", confidence: 1, source: .ios))
    let keys = server.requests.map { $0.firstMatch(of: /(?i)idempotency-key: (\S+)/)?.1 }
    #expect(keys.count == 3)
    #expect(keys.first! != nil)
    #expect(Set(keys).count == 1)
  }

  @Test func batchIsNotCreatedTwice() async throws {
    let server = try StubServer([nil, StubServer.error(404, "UNEXPECTED")])
    let error = await #expect(throws: SerialScanError.self) { try await client(server).beginBatch(name: "Lot 7") }
    #expect(error?.errorCode == .connectionLost)
    #expect(server.requests.count == 1)
  }

  @Test func eachStepHasDeadline() async throws {
    let (listener, port) = try Socket.listening()
    let silent = SerialScanClient(
      baseURL: URL(string: "http://127.0.0.1:\(port)")!, retries: RetryPolicy(attempts: 2, firstPause: .zero),
      deadlines: Deadlines(step: .milliseconds(300), upload: .milliseconds(300), whole: .seconds(60)))
    let begin = ContinuousClock.now
    let error = await #expect(throws: SerialScanError.self) { try await silent.scan(image: photo) }
    #expect(error?.errorCode == .deadlineExceeded)
    #expect(ContinuousClock.now - begin < .seconds(40))
    _ = listener
  }

  @Test func wholeRequestHasDeadline() async throws {
    let server = try StubServer([nil])
    let patient = RetryPolicy(attempts: 1_000_000, firstPause: .milliseconds(50), longestPause: .milliseconds(50))
    let client = client(server, retries: patient, deadlines: Deadlines(whole: .seconds(5)))
    await #expect(throws: SerialScanError.self) { try await client.presets() }
    #expect((2...201).contains(server.requests.count))
  }

  @Test func cancellationIsNotAnError() async throws {
    let (listener, port) = try Socket.listening()
    let silent = SerialScanClient(baseURL: URL(string: "http://127.0.0.1:\(port)")!)
    let task = Task { try await silent.scan(image: photo) }
    try await Task.sleep(for: .milliseconds(200))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    _ = listener
  }

  @Test func pausesGrowWithJitter() {
    let policy = RetryPolicy(firstPause: .seconds(1), longestPause: .seconds(30))
    for attempt in 1...40 {
      let full = min(Duration.seconds(1) * (1 << min(attempt - 1, 20)), .seconds(30))
      let pause = policy.pause(afterAttempt: attempt)
      #expect(pause >= full * 0.5 && pause <= full)
    }
    #expect(Set((1...20).map { _ in policy.pause(afterAttempt: 3) }).count > 10)
    #expect(policy.pause(afterAttempt: 1, retryAfter: 7) >= .seconds(7))
    #expect(policy.pause(afterAttempt: 1, retryAfter: 7) <= .seconds(8))
  }

  @Test func optionsOfNewerServersAreSentOnlyIfGiven() async throws {
    let server = try StubServer([StubServer.scanned])
    _ = try await client(server).scan(image: photo, deviceType: "iPhone 15")
    _ = try await client(server).scan(
      image: photo, region: Region(x0: 0, y0: 0.25, x1: 1, y1: 0.5), multiple: true, persist: false)
    #expect(server.requests[0].hasPrefix("POST /scan HTTP"))
    #expect(server.requests[0].contains("name=\"device_type\"\r\n\r\niPhone 15\r\n"))
    #expect(server.requests[1].hasPrefix("POST /scan?region=0.0%2C0.25%2C1.0%2C0.5&multiple=true&persist=false HTTP"))
  }
}

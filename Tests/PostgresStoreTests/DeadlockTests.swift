import JobStore
import PostgresClient
import PostgresStore
import StoreConformance
import TestCluster
import Testing

/// Changes of the same devices at the same time.
@Suite(.enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES")) struct DeadlockTests {
  private static let serials = ["C02XL0THJHCC", "C07WK3B4PLJ9", "C02G414GMD6N"]

  /// A deadlock lasts for a second each and is retried, so the database counts them.
  @Test func concurrentChangesOfDevicesNeverDeadlock() async throws {
    try await withFreshDatabase { address in
      let store = try PostgresStore(address: address, options: .init(isServer: true, connections: 12))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<12 { group.addTask { try await Self.work(number, in: store) } }
        try await group.waitForAll()
      }
      for serial in Self.serials {
        let reads = try await store.reads(ofDevice: serial, keyID: nil, limit: 1000).count
        #expect(try await store.device(serial: serial, keyID: nil)?.timesSeen ?? 0 == reads, "\(serial)")
      }
      // Its connections report their statistics when they end.
      try await store.close()
      let connection = try PostgresConnection(to: PostgresAddress(address))
      while try connection.run("SELECT 1 FROM pg_stat_activity WHERE datname = current_database()").count > 1 {
        try await Task.sleep(for: .milliseconds(10))
      }
      let count = try connection.run(
        "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
      ).first?.integer("deadlocks")
      #expect(count == 0)
    }
  }

  /// Lists with other columns lock the values and devices that they share in another order.
  @Test func concurrentImportsAllSucceed() async throws {
    try await withFreshDatabase { address in
      let store = try PostgresStore(address: address, options: .init(isServer: true, connections: 4))
      let serials = (1000..<1400).map { "C02XL0TH\($0)" }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<4 {
          let list = serials.enumerated().filter { $0.offset % 4 != number }.map { offset, serial in
            let fields = offset % 3 == number ? ["tag", "field \(number)"] : ["field \(number)"]
            return ImportedDevice(
              serial: serial, isValid: true, custom: Dictionary(uniqueKeysWithValues: fields.map { ($0, serial) }))
          }
          group.addTask { _ = try await store.importDevices(list, dryRun: false) }
        }
        try await group.waitForAll()
      }
      let values = try await store.customValues(ofDevices: Set(serials))
      for (offset, serial) in serials.enumerated() {
        #expect(values[serial]?.keys.filter { $0 != "tag" }.count == 3, "\(serial)")
        #expect((values[serial]?["tag"] != nil) == (offset % 3 != offset % 4), "\(serial)")
      }
      try await store.close()
    }
  }

  /// Saves reads, moves them between devices, changes their and the devices' types, confirms photos and deletes.
  private static func work(_ number: Int, in store: PostgresStore) async throws {
    var job = newJob()
    job.photoHash = "\(number)"
    _ = try await store.enqueue(job)
    if let claimed = try await store.claimNext(worker: "w\(number)", lease: 600) {
      try await store.finish(claimed.claim, with: .read(reading(serials[number % 3]), save: true))
    }
    for round in 0..<8 {
      let (one, other) = (serials[(number + round) % 3], serials[(number * 2 + round + 1) % 3])
      let saved = try await store.save(
        NewSerial(serial: one, confidence: 0.9, source: .ios, isValid: true, deviceType: "iMac"))
      _ = try await store.changeSerial(
        id: saved.id, SerialChange(serial: (other, true), deviceType: round % 2 == 0 ? "iPad" : nil))
      _ = try await store.changeDevice(serial: one, DeviceChange(deviceType: "type \(round)"), keyID: nil)
      _ = try await store.confirm(job: job.id, serial: other, replacing: nil, isValid: true)
      if round % 4 == number % 4 { _ = try await store.deleteDevice(serial: one) }
    }
  }
}

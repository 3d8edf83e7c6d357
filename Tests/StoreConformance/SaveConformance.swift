import Foundation
import JobStore
import ScanModel
import Testing

/// Saving serials from jobs and from devices.
public struct SaveConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: ServerStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("A finished job saves its serial with its details, unless saving is off") {
        try await $0.finishedJobSavesSerialIfAllowed()
      },
      Check("Serials from devices are saved as sent, with confidence clamped to 0...1") {
        try await $0.savesDeviceSerialsWithClampedConfidence()
      },
      Check("A save key stores its serial once, and rejects another request") {
        try await $0.saveKeyStoresSerialOnce()
      },
      Check("A serial is saved even if its device is deleted at once") { try await $0.savesWhatIsDeletedAtOnce() },
      Check("A serial sets its device's values, and a repeated request changes none") {
        try await $0.serialSetsDeviceValues()
      },
      Check("Device types are stored without surrounding blanks, whoever names them") {
        try await $0.trimsDeviceTypes()
      },
      Check("No read below the requested confidence is saved") { try await $0.savesNoReadBelowRequestedConfidence() },
    ]
  }

  func finishedJobSavesSerialIfAllowed() async throws {
    var read = reading("C02XL0THJHCC")
    let fields = [
      FieldRead(kind: .modelNumber, text: "A2141", confidence: 0.95),
      FieldRead(kind: .imei, text: "356938035643809", confidence: 0.9, check: true),
    ]
    read.serials[0].fields = fields
    try await stores.withStore { [read] store, _ in
      for save in [true, false] {
        _ = try await store.enqueue(newJob())
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.finish(claimed.claim, with: .read(read, save: save))
      }
      let serials = try await store.serials(SerialQuery()).items
      #expect(serials.count == 1)
      #expect(serials.first?.fields == fields)
      let serial = try #require(serials.first)
      #expect(serial.serial == "C02XL0THJHCC" && serial.confidence == 0.98 && serial.method == "tesseract")
      #expect(serial.source == .scan && serial.preset == .etched && serial.deviceType == "MacBook Pro")
      #expect(serial.isValid && serial.notes == nil && serial.jobID != nil)
      #expect(try await store.serial(id: serial.id) == serial)
    }
  }

  func trimsDeviceTypes() async throws {
    try await stores.withStore { store, _ in
      var job = newJob()
      job.request.deviceType = " iMac \n"
      _ = try await store.enqueue(job)
      #expect(try await store.job(id: job.id)?.request.deviceType == "iMac")
      let saved = try await store.save(
        NewSerial(
          serial: "C02XL0THJHCC", confidence: 1, source: .ios, isValid: true, deviceType: "MacBook Pro\t"))
      #expect(saved.deviceType == "MacBook Pro")
      let changed = try await store.changeSerial(id: saved.id, SerialChange(deviceType: "\r\n iMac "))
      #expect(changed?.deviceType == "iMac")
      let device = try await store.changeDevice(
        serial: saved.serial, DeviceChange(deviceType: " Mac mini "), keyID: nil)
      #expect(device?.deviceType == "Mac mini")
    }
    let request = JobRequest(photo: "a.jpg", photoBytes: 1, preset: nil, deviceType: " \t")
    #expect(request.deviceType == nil)
  }

  func savesDeviceSerialsWithClampedConfidence() async throws {
    try await stores.withStore { store, _ in
      let readAt = Date(timeIntervalSince1970: 1_700_000_000.25)
      let saved = try await store.save(
        NewSerial(
          serial: "F2LXK1ABCD", confidence: 7, source: .ios, isValid: true, deviceType: "iPhone 15",
          notes: "=1+1", readAt: readAt))
      #expect(saved.confidence == 1 && saved.createdAt == readAt && saved.jobID == nil && saved.notes == "=1+1")
      #expect(try await store.serial(id: saved.id) == saved)
      let odd = try await store.save(NewSerial(serial: "X", confidence: .nan, source: .mac, isValid: false))
      #expect(odd.confidence == 0 && odd.deviceType == nil)
    }
  }

  func savesWhatIsDeletedAtOnce() async throws {
    try await stores.withStore { store, _ in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<25 {
              let saved = try await store.save(
                NewSerial(serial: "C02XL0THJHCC", confidence: 1, source: .ios, isValid: true))
              #expect(saved.serial == "C02XL0THJHCC")
            }
          }
          group.addTask { for _ in 0..<25 { _ = try await store.deleteDevice(serial: "C02XL0THJHCC") } }
        }
        try await group.waitForAll()
      }
    }
  }

  func serialSetsDeviceValues() async throws {
    try await stores.withStore { store, _ in
      var serial = NewSerial(serial: "C02XL0THJHCC", confidence: 1, source: .scanner, isValid: true)
      serial.custom = ["asset_tag": "RM-00001", "grade": "A"]
      serial.key = SaveKey(name: "k", request: "r")
      let saved = try await store.save(serial)
      func custom() async throws -> [String: String]? {
        try await store.device(serial: "C02XL0THJHCC", keyID: nil)?.custom
      }
      #expect(try await custom() == ["asset_tag": "RM-00001", "grade": "A"])
      _ = try await store.changeDevice(serial: "C02XL0THJHCC", DeviceChange(custom: ["grade": "B"]), keyID: nil)
      #expect(try await store.save(serial).id == saved.id)
      #expect(try await custom() == ["asset_tag": "RM-00001", "grade": "B"])
      serial.key = nil
      serial.custom = ["asset_tag": nil, "grade": "C"]
      _ = try await store.save(serial)
      #expect(try await custom() == ["grade": "C"])
      // An unknown batch rejects the serial and its values.
      serial.batchID = "unknown"
      serial.custom = ["grade": "D"]
      await #expect(throws: BatchError.notFound(id: "unknown")) { try await store.save(serial) }
      #expect(try await custom() == ["grade": "C"])
      #expect(try await store.serialCount(SerialFilter()) == 2)
    }
  }

  func saveKeyStoresSerialOnce() async throws {
    try await stores.withStore { store, _ in
      func save(_ serial: String, _ key: SaveKey?) async throws -> SavedSerial {
        try await store.save(NewSerial(serial: serial, confidence: 0.9, source: .ios, isValid: true, key: key))
      }
      let key = SaveKey(name: "one", request: "a")
      let ids = try await withThrowingTaskGroup(of: Int64.self) { group in
        for _ in 0..<10 { group.addTask { try await save("C02G414GMD6N", key).id } }
        return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
      }
      let id = try #require(ids.first)
      #expect(ids.count == 1)
      await #expect(throws: StoreError.saveConflict(serialID: id)) {
        try await save("C02G414GMD6N", SaveKey(name: "one", request: "b"))
      }
      #expect(try await save("C02G414GMD6N", SaveKey(name: "two", request: "a")).id != id)
      // Without a key each call saves a serial.
      for _ in 0..<2 { _ = try await save("C02G414GMD6N", nil) }
      #expect(try await store.serials(SerialQuery()).items.count == 4)
      // A repeated request returns a serial as it was corrected, and saves it again if it was deleted.
      _ = try await store.changeSerial(id: id, SerialChange(serial: ("C02G414GMD6M", true)))
      #expect(try await save("C02G414GMD6N", key).serial == "C02G414GMD6M")
      _ = try await store.deleteSerial(id: id)
      #expect(try await save("C02G414GMD6N", key).id != id)
    }
  }

  func savesNoReadBelowRequestedConfidence() async throws {
    try await stores.withStore { store, _ in
      for (least, isSaved) in [(0.99, false), (0.98, true)] {
        var job = newJob()
        job.request.minConfidence = least
        _ = try await store.enqueue(job)
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        #expect(claimed.job.request.minConfidence == least)
        let ended = try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
        #expect(ended.savedToDatabase == isSaved)
        #expect(try await store.job(id: job.id)?.savedToDatabase == isSaved)
        #expect(try await store.serialCount(SerialFilter()) == (isSaved ? 1 : 0))
      }
    }
  }
}

import Foundation
import JobStore
import ScanModel
import Testing

/// Configuration codes and the models they stand for.
public struct ModelCodeConformance<Stores: TestedStores>: ConformanceGroup where Stores.Store: ServerStore {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("Codes are imported once and keep their counts") { try await $0.importedCodesKeepTheirCounts() },
      Check("A correction reverts the count of the confirmed serial, and a code that no one confirmed is removed") {
        try await $0.correctionRemovesUnusedCode()
      },
      Check("A serial without a model beside it counts for the only model of its code") {
        try await $0.codeOfOneModelNeedsNoModel()
      },
      Check("Each confirmed serial of a photo counts once, however often and through whichever job") {
        try await $0.countsEachConfirmedSerialOnce()
      },
      Check("Of concurrent confirmations, the last one's code is left") {
        try await $0.countsLastOfConcurrentConfirmations()
      },
      Check("Codes are removed all together or not at all") { try await $0.removesAllCodesOrNone() },
    ]
  }

  /// Reads a photo of several serials, each beside a model number unless it is nil. Returns the job's id.
  private func read(_ serials: [String], model: String?, hash: String? = nil, in store: Stores.Store) async throws
    -> String
  {
    var job = newJob()
    job.photoHash = hash
    job.request.everySerial = serials.count > 1
    var whole = reading(serials[0])
    whole.isOfEverySerial = serials.count > 1
    whole.serials = serials.map { serial in
      var read = SerialRead(
        serial: serial, confidence: 0.99, method: "tesseract", strategy: "text", isValid: true, verdict: .accepted)
      read.fields = model.map { [FieldRead(kind: .modelNumber, text: $0, confidence: 0.99)] }
      return read
    }
    _ = try await store.enqueue(job)
    let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
    try await store.finish(claimed.claim, with: .read(whole, save: true))
    return job.id
  }

  private func codes(_ store: Stores.Store) async throws -> [String] {
    try await store.modelCodes().map { "\($0.code) \($0.model) \($0.confirmed)" }
  }

  func importedCodesKeepTheirCounts() async throws {
    try await stores.withStore { store, _ in
      func confirm(_ serial: String, _ model: String) async throws {
        _ = try await store.confirm(job: read([serial], model: model, in: store), serial: serial, isValid: true)
      }
      try await confirm("C02ZK1ABMD6N", "A2141")
      let codes = [
        ModelCode(code: "MD6N", model: "A2141", isImported: true),
        ModelCode(code: "DV7", model: "MacBook Pro \"13\"; ü", isImported: true),
      ]
      #expect(try await store.addModelCodes(codes) == 1)
      #expect(try await store.addModelCodes(codes) == 0)
      try await confirm("C02ZK1ACMD6N", "A2141")
      #expect(
        try await store.modelCodes() == [
          ModelCode(code: "DV7", model: "MacBook Pro \"13\"; ü", isImported: true),
          ModelCode(code: "MD6N", model: "A2141", isImported: true, confirmed: 2),
        ])
      try await confirm("C02ZK1ADMD6N", "A1990")
      #expect(try await store.modelCodeCount() == 2)
    }
  }

  func correctionRemovesUnusedCode() async throws {
    try await stores.withStore { store, _ in
      let id = try await read(["C02ZK1ABMD6N"], model: "A2141", in: store)
      #expect(try await codes(store).isEmpty, "no person has confirmed it")
      _ = try await store.confirm(job: id, serial: "C02ZK1ABMD6M", isValid: true)
      #expect(try await codes(store) == ["MD6M A2141 1"])
      _ = try await store.confirm(job: id, serial: "C02ZK1ABMD6N", isValid: true)
      #expect(try await codes(store) == ["MD6N A2141 1"])
      let row = try #require(try await store.serials(SerialQuery()).items.first)
      _ = try await store.changeSerial(id: row.id, SerialChange(notes: "desk 5"))
      #expect(try await codes(store) == ["MD6N A2141 1"])
      _ = try await store.addModelCodes([ModelCode(code: "MD6N", model: "A2141", isImported: true)])
      _ = try await store.changeSerial(id: row.id, SerialChange(serial: ("C02ZK1ABLVCF", true)))
      #expect(try await codes(store) == ["LVCF A2141 1", "MD6N A2141 0"])
      _ = try await store.deleteSerial(id: row.id)
      #expect(try await codes(store) == ["LVCF A2141 1", "MD6N A2141 0"], "codes stay when serials are deleted")
    }
  }

  func codeOfOneModelNeedsNoModel() async throws {
    try await stores.withStore { store, _ in
      let saved = try await store.save(NewSerial(serial: "C02ZK1ABMD6N", confidence: 1, source: .ios, isValid: true))
      func confirm() async throws {
        _ = try await store.changeSerial(id: saved.id, SerialChange(serial: ("C02ZK1ABMD6N", true)))
      }
      _ = try await store.addModelCodes([ModelCode(code: "LVCF", model: "A1990", isImported: true)])
      try await confirm()
      #expect(try await codes(store) == ["LVCF A1990 0"], "its model is unknown")
      let other = try await store.save(NewSerial(serial: "C02ZK1ABLVCF", confidence: 1, source: .ios, isValid: true))
      #expect(try await codes(store) == ["LVCF A1990 0"], "a device has read it, no person")
      for _ in 0..<2 { _ = try await store.changeSerial(id: other.id, SerialChange(serial: ("C02ZK1ABLVCF", true))) }
      #expect(try await codes(store) == ["LVCF A1990 1"])
      _ = try await store.addModelCodes([ModelCode(code: "LVCF", model: "A2141", isImported: true)])
      _ = try await store.changeSerial(id: other.id, SerialChange(serial: ("C02ZK1ACLVCF", true)))
      #expect(try await codes(store) == ["LVCF A1990 1", "LVCF A2141 0"], "either may be its model")
    }
  }

  func countsEachConfirmedSerialOnce() async throws {
    try await stores.withStore { store, _ in
      let serials = ["C02ZK1ABMD6N", "C02ZK1ABLVCF"]
      let first = try await read(serials, model: "A2141", hash: "aa", in: store)
      let again = try await read(serials, model: "A2141", hash: "aa", in: store)
      for id in [first, first, again] {
        for serial in serials {
          _ = try await store.confirm(job: id, serial: serial, replacing: serial, isValid: true)
        }
      }
      #expect(try await codes(store) == ["LVCF A2141 1", "MD6N A2141 1"])
      // Both rows become one.
      _ = try await store.confirm(job: first, serial: serials[0], replacing: serials[1], isValid: true)
      #expect(try await codes(store) == ["MD6N A2141 1"])
    }
  }

  func countsLastOfConcurrentConfirmations() async throws {
    try await stores.withStore { store, _ in
      let id = try await read(["C02ZK1ABMD6N"], model: "A2141", in: store)
      try await withThrowingTaskGroup { group in
        for code in ["MD6M", "MD6P", "MD6Q", "LVCF"] {
          group.addTask { _ = try await store.confirm(job: id, serial: "C02ZK1AB\(code)", isValid: true) }
        }
        try await group.waitForAll()
      }
      let confirmed = try #require(try await store.job(id: id)?.confirmedSerial)
      #expect(try await codes(store) == ["\(confirmed.suffix(4)) A2141 1"])
    }
  }

  func removesAllCodesOrNone() async throws {
    try await stores.withStore { store, _ in
      let codes = [("MD6N", "A2141"), ("MD6N", "MacBookPro16,1"), ("LVCF", "A1990")]
      _ = try await store.addModelCodes(codes.map { ModelCode(code: $0.0, model: $0.1, isImported: true) })
      #expect(try await store.removeModelCodes(["MD6N", "QQQQ"]) == ["QQQQ"])
      #expect(try await store.modelCodes().count == 3)
      #expect(try await store.removeModelCodes(["MD6N", "LVCF"]).isEmpty)
      #expect(try await store.modelCodes().isEmpty)
    }
  }
}

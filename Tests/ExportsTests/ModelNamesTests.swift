import AppleSerial
import Exports
import JobStore
import ScanModel
import Testing

/// Covers what names a device's model, and which of several names counts.
@Suite struct ModelNamesTests {
  private static let serial = "C02ZK1ABMD6N"

  private func field(_ kind: DeviceField.Kind, _ text: String, _ confidence: Double = 0.99) -> FieldRead {
    FieldRead(kind: kind, text: text, confidence: confidence)
  }

  @Test func identifierNamesBeforeNumberAndNumberBeforeCode() {
    let names = ModelNames.shared
    let number = field(.modelNumber, "A1990")
    #expect(
      names.name(of: Self.serial, [number, field(.modelIdentifier, "MacBookPro15,1")])
        == "MacBook Pro (15-inch, 2018-2019)")
    #expect(names.name(of: Self.serial, [number]) == "MacBook Pro (15-inch, 2018-2019)")
    #expect(names.name(of: Self.serial, nil) == "MacBook Pro (16-inch, 2019)", "by the built-in code")
    #expect(names.name(of: Self.serial, [field(.modelNumber, "A1990", 0.8)]) == "MacBook Pro (16-inch, 2019)")
    #expect(names.name(of: "C02ZK1ABZZZ9", nil) == nil, "an unknown code")
    #expect(names.name(of: "G6TZJ1AB7K", [number]) == "MacBook Pro (15-inch, 2018-2019)", "a serial without a code")
    #expect(names.name(of: "G6TZJ1AB7K", nil) == nil)
  }

  @Test func storeReplacesBuiltInCodeAndImportCountsFirst() {
    func name(_ codes: [ModelCode]) -> String? { ModelNames.shared.adding(codes).name(of: Self.serial, nil) }
    #expect(name([ModelCode(code: "MD6N", model: "Loaner 16")]) == "Loaner 16")
    let confirmed = ModelCode(code: "MD6N", model: "A1990", confirmed: 3)
    #expect(name([confirmed]) == "MacBook Pro (15-inch, 2018-2019)")
    #expect(name([confirmed, ModelCode(code: "MD6N", model: "Loaner 16", isImported: true)]) == "Loaner 16")
    #expect(name([confirmed, ModelCode(code: "MD6N", model: "A2141", confirmed: 9)]) == nil, "two models")
    let imported = ["A1990", "MacBook Pro (15-inch, 2018-2019)"].map {
      ModelCode(code: "MD6N", model: $0, isImported: true)
    }
    #expect(name(imported) == "MacBook Pro (15-inch, 2018-2019)", "one model by two of its names")
  }
}

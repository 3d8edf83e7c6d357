import AppleSerial
import SerialReading
import Testing
import TextReading

/// Covers: makers named in a photo.
@Suite struct MakersSeenTests {
  private static func line(_ text: String, confidence: Float) -> TextLine {
    var symbols: [Symbol] = []
    for word in text.split(separator: " ") {
      symbols += word.enumerated().map {
        Symbol(character: $1, confidence: confidence, left: 0, right: 10, startsWord: $0 == 0)
      }
    }
    return TextLine(symbols: symbols)
  }

  @Test(arguments: [
    (["SAMSUNG", "S/N: R58M1234ABC"], true), (["HP LaserJet Pro M404dn"], true),
    (["Dell Monitor", "MacBook Air"], false),
    (["NETGEAR", "MAC: A483E7123456"], true), (["Dell U2723QE", "Mac mini"], false), (["Serial No. XK4Q2M9TRW"], false),
    (["Designed by Apple in California", "lenovo"], false),
    (["EL1TeBook 840 G5"], true), (["Galaxy A52", "R58M1234ABC"], true), (["1.0TB SATA"], true),
    (["SATA", "MDL W010EZEX"], true),
    (["SATA", "MVVJ2LLA"], false), (["SATA", "ZSCZ6CSZ"], true), (["iPadOS", "Galaxy A52"], false),
    (["lLaserJet M404dn", "Serial Number"], true), (["abose"], false), (["Growatt", "SN: NVCVD7A01Z"], true),
    (["DJI RC"], true), (["dji"], false),
    (["HP", "S/N: 5CG9443407"], true), (["S/N: 90HE8PR1HP"], false),
    (["Model: 5R1390", "S/N: 5CG9443407"], true), (["Model No. SM-G991B"], true), (["M/N: Y-U0009"], true),
    (["Model A2338", "Serial C02"], false), (["Model: A1Z78"], false), (["Model A2111Other items"], false),
    (["Model Identifier: MacBookPro18,3"], false),
    (["Model Number MK1E3LL/A"], false), (["Model: MK1E3"], false), (["Model Name iPhone 12 Pro"], false),
    (["Model: SM-G991B", "FCC ID: BCGA2141"], false), (["Model year 2019"], false),
    (["ZYXEL Communications"], true), (["TP-Link"], true), (["GPON-SN: 5A5958458CACFC18"], true),
    (["S/N: 90GP0NPR1HP"], false),
    (["GPON Serial Number"], true), (["les prix ont"], false), (["The model of 5 cars"], false),
  ])
  func detectsOtherMakers(lines: [String], areAlone: Bool) {
    var makers = MakersSeen()
    for text in lines { makers.note(Self.line(text, confidence: 97)) }
    #expect(makers.areOthersAlone == areAlone)
  }

  @Test func lowersConfidenceForOtherMakers() throws {
    func most(_ serial: String, _ lines: [String]) throws -> Double {
      var makers = MakersSeen()
      for text in lines { makers.note(Self.line(text, confidence: 97)) }
      return Calibration.most(of: try #require(SerialNumber(serial)), among: makers)
    }
    // Mostly digits, with no maker named; with Apple; with the maker.
    #expect(try most("6XG7576492", ["SerialNumber"]) == 0.3)
    #expect(try most("6XG7576492", ["MacBook Air"]) == 1)
    #expect(try most("GB802209547", ["VAT"]) == 0.3)
    #expect(try most("W8902123ABC", ["Serial No."]) == 1)
    #expect(try most("XK4Q2M9TRW", ["SerialNumber"]) == 1)
    // Serials of HP, one of them misread, of a hard disk, and of a display.
    #expect(try most("5CG927K6R9", ["SerialNumber"]) == 0.3)
    #expect(try most("SCG92736R9", ["SerialNumber"]) == 0.3)
    #expect(try most("CNK8181G2C", ["SERIAL #"]) == 0.3)
    #expect(try most("GB8822P2NY", ["Numéro de série"]) == 0.3)
    #expect(try most("WCCM76V7KQF8", ["S/N"]) == 0.3)
    #expect(try most("908NTLE1K215", ["S/N"]) == 0.3)
    #expect(try most("WCCM76V7KQF8", ["iMac"]) == 1)
    // A transceiver's, a router's and an optical network terminal's.
    #expect(try most("HBMT22700048", ["S/N"]) == 0.3)
    #expect(try most("220Y24027281", ["S/N"]) == 0.3)
    #expect(try most("FSCM99A6BCEC", ["Serial Number"]) == 0.3)
    #expect(try most("HBMT22700048", ["iPhone"]) == 1)
    // An access point's and a phone's where nothing names a maker.
    #expect(try most("CNF8K2X1AB", ["S/N"]) == 0.88)
    #expect(try most("CNF8K2X1AB", ["iPhone"]) == 1)
    // A list names both makers, or the other one is illegible.
    #expect(try most("5CG9443407", ["MacBook Air"]) == 0.75)
    #expect(try most("5CG9443407", ["MacBook Air", "HP EliteBook 840"]) == 0.3)
    #expect(try most("XK4Q2M9TRW", ["MacBook Air", "HP EliteBook 840"]) == 1)
    #expect(try most("XK4Q2M9TRW", ["EPSON"]) == 0.3)
    #expect(try most("C02ZK1ABMD6N", ["EPSON"]) == 0.75)
    #expect(try most("C02ZK1ABMD6N", ["EPSON", "MacBook Air"]) == 1)
  }

  @Test func hardToReadTextNamesNoMaker() {
    var makers = MakersSeen()
    makers.note(Self.line("DELL", confidence: 90))
    #expect(!makers.areOthersAlone)
  }
}

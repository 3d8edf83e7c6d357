import AppleSerial
import Testing

/// Labels before a value, in every language, exact and misread.
@Suite struct LabelKeywordTests {
  @Test(arguments: LabelKeywords.serialTexts)
  func recognizesEverySerialLabel(text: String) {
    #expect(LabelKeywords.strengths(before: text + ": ").announcesSerial, "\(text)")
    #expect(LabelKeywords.isSerialLabel(text) || text.hasPrefix("("))
  }

  @Test(arguments: LabelKeywords.otherTexts)
  func recognizesEveryOtherLabel(text: String) {
    #expect(LabelKeywords.strengths(before: text + ": ").announcesOther, "\(text)")
  }

  @Test(arguments: ["Password (WPA):", "Password CWPA):", "Network Key (WPA2-PSK) :", "Model (rear)", "IMEI (slot 1):"])
  func recognizesQualifiedOtherLabels(text: String) {
    #expect(LabelKeywords.strengths(before: text).announcesOther)
    #expect(LabelKeywords.strengths(before: "Serial Number (system):").announcesSerial)
  }

  @Test(arguments: [
    "Your voucher code:", "PROMO CODE", "Use coupon code", "Gift card:", "Order code", "Booking code:",
    "Gutschein-Code", "Gutschein Nr.", "Code promo :", "Código de descuento:", "Codice sconto",
  ])
  func recognizesLabelsOfVouchers(text: String) { #expect(LabelKeywords.strengths(before: text).announcesOther) }

  @Test func tellsWhatMayStandForLabelInAnotherScript() {
    #expect(["Serial", "SERIAL:", "Model"].allSatisfy { LabelKeywords.editsOfOtherScript($0) == 0 })
    #expect(LabelKeywords.editsOfOtherScript("Seriel") == 1 && LabelKeywords.editsOfOtherScript("Seodel") == 2)
    #expect(["", "Serial Number", "Memory", "C02G414GMD6N"].allSatisfy { LabelKeywords.editsOfOtherScript($0) == nil })
  }

  @Test func recognizesCyrillicLabelsReadAsLatinLetters() {
    #expect(LabelKeywords.strengths(before: "CepHlHblH H0MED").announcesSerial)
    #expect(LabelKeywords.strengths(before: "CepMMHbli H0MED").announcesSerial)
    #expect(!LabelKeywords.strengths(before: "MHBeHTapHbli H0MED").announcesSerial)
    #expect(!LabelKeywords.strengths(before: "HoMep Mo/le/1H").announcesSerial)
  }

  @Test(arguments: [
    "Seria1 Numbar", "Serlal Nurnber", "FCC ID: BCGA2141 and IC: 579C-A2141 Serial", "Numero de serie", "Seriennumner",
    "al Number Csystem):", "S/N", "SN:", "SL#", "SL# ", "SL.#", "SL", "Sl:", "Asset 5/N:", "Ser.-Nr.", "Ser. Nr",
    "5er-Nr.:", "SER.NO", "Ser.-Hr.", "SI", "sin:", "Scria1 Nunnber", "Serienummor", "N/S:", "SERIAL NO",
    "Num\u{E9}ro de s\u{E9}rle",
  ])
  func recognizesMisreadLabels(text: String) { #expect(LabelKeywords.strengths(before: text).announcesSerial) }

  @Test(arguments: ["Soo Sl", "Sl", "GPI09 SL", "J Sl", "Router EDGE-51 -", "(5)", "51:", "EDGE-SI", "Si"])
  func takesNoEndOfOtherTextForAShortLabel(text: String) {
    #expect(!LabelKeywords.strengths(before: text).announcesSerial)
  }

  @Test(arguments: ["Set No. 12:", "SEQ NO:", "Server Number", "Seitennummer:"])
  func takesNoOtherNumberForASerialLabel(text: String) {
    #expect(!LabelKeywords.strengths(before: text).announcesSerial)
  }

  @Test(arguments: [
    "Battery Serial No.:", "Battery serial", "Mainboard Serial No.", "BoardSerialNumber", "Hard Disk S/N",
    "SSD Serial Number",
    "Akku-Seriennummer:", "Battery Seria1 Numbar",
  ])
  func takesSerialsOfPartsForOtherValues(text: String) {
    #expect(LabelKeywords.part(in: text) == .label)
    #expect(LabelKeywords.strengths(before: text).announcesOther)
  }

  @Test(arguments: ["Display Serial Number:", "Monitor S/N:", "Ladegerät-Seriennummer"])
  func serialsOfPartsThatMayBeDevicesStaySerials(label: String) {
    #expect(LabelKeywords.part(in: label) == .labelOfDevice)
    #expect(LabelKeywords.strengths(before: label).announcesSerial)
  }

  @Test(arguments: [
    "Link Width: x4", "BSD-Name: disk0", "S.M.A.R.T.-Status", "Vendor ID: 0x046d", "Cell Revision", "TRIM Support",
  ])
  func recognizesFieldsOfParts(line: String) { #expect(LabelKeywords.part(in: line) == .field) }

  @Test(arguments: [
    "Memory 16 GB Serial Number", "Trimble", "Dimmer", "Bank: 0123", "Serial Number:", "Smart Keyboard", "Bank: DE02",
    "Device Model: MacBook Pro",
    "Battery",
    "Storage: disk", "Product ID", "Startup disk", "Display 13.3-inch", "Onboard serial number",
  ])
  func takesNothingElseForPart(line: String) { #expect(LabelKeywords.part(in: line) == nil) }

  // Of the words in the lists of seven languages that ended like a label.
  @Test(arguments: [
    "Brasserie", "FOTOSERIE", "passeranno", "osservano", "épisserions", "Dossiernummer", "BRIEFNUMMER:",
    "Servicenummer:", "Versienummer:", "Reserveringsnummer", "Computersystem", "Nervensystem", "endorsers",
    "innamorerò", "Serum", "SERVO", "sereno",
  ])
  func takesNoWordForALabel(text: String) {
    #expect(!LabelKeywords.strengths(before: text).announcesSerial)
    #expect(!LabelKeywords.isSerialLabel(text))
  }

  @Test(arguments: ["SystemSerial", "ICSerial", "ICScrial", "A2141Ser1al", "579C-A2141Seria1", "IC: 579C-A2141 Ser1al"])
  func recognizesLabelsJoinedToTheWordBefore(text: String) {
    #expect(LabelKeywords.strengths(before: text).announcesSerial)
  }

  @Test(arguments: ["Material", "MATERIAL:", "Material No.", "Material Number", "Materialnummer"])
  func materialNumbersAreNoSerials(text: String) { #expect(LabelKeywords.strengths(before: text).announcesOther) }

  @Test func recognizesLabelCutByThePicture() {
    #expect(LabelKeywords.strengths(before: "e (syst\u{E8}me):", isCut: true).announcesSerial)
    #expect(!LabelKeywords.strengths(before: "e (syst\u{E8}me):").announcesSerial)
    #expect(LabelKeywords.strengths(before: "al Number:", isCut: true).announcesSerial)
    #expect(LabelKeywords.strengths(before: "ennummer", isCut: true).announcesSerial)
    for other in ["Number:", "nummer:", "SYSTEM:", "Sistema"] {
      let strengths = LabelKeywords.strengths(before: other, isCut: true)
      #expect(!strengths.announcesSerial && !strengths.announcesOther)
    }
  }

  @Test(arguments: [
    ("ial Number:", true), ("rial Number", true), ("iennummer:", true), ("ennummer:", false), ("al Number:", false),
    ("Number:", false), ("icial Number:", false), ("rial No:", false),
  ])
  func recognizesLabelWithCoveredBeginning(text: String, isSerials: Bool) {
    #expect(LabelKeywords.strengths(before: text).announcesSerial == isSerials)
  }

  @Test(arguments: ["No.", "o.", "al", "l", "N", "N:", "S)", "er:", ":", "mber:", "Number:", "nummer", "(system):"])
  func recognizesLabelEndings(text: String) { #expect(LabelKeywords.mayEndSerialLabel(text)) }

  @Test(arguments: ["", ".", "MEI", "ID:", "SYSTEM:", "USA", "V2"])
  func ignoresOtherEndings(text: String) { #expect(!LabelKeywords.mayEndSerialLabel(text)) }

  @Test(arguments: ["Serial / IMEI", "Serial No./Lot:", "Seriennummer/IMEI", "IMEI/Serial", "IMEI / SN:"])
  func recognizesCombinedLabels(text: String) { #expect(LabelKeywords.strengths(before: text).announcesSerial) }

  @Test(arguments: ["Build number", "Burild number", "Panel number", "Serial and more"])
  func ignoresLinesOfOtherMeaning(text: String) { #expect(!LabelKeywords.isSerialLabel(text)) }

  @Test(arguments: ["IMEI/MEID", "Part No./Lot", "and/or IMEI"])
  func slashAloneIsNotASerialLabel(text: String) { #expect(LabelKeywords.strengths(before: text).announcesOther) }

  @Test(arguments: [
    "Designed by Apple in California", "Assembled in China", "Model A2141", "Model Numher", "IMEI", "(1P) Part No.", "",
    "USA", "Build number", "Burild number", "Panel number:", "1 Si", "Air 13 Si", "serialise this whole other thing",
    "Server Nr.", "Serie A Nr. 4", "Series", "Asset Nr.", "Brani preferial", "Brani preferiti", "Imperial",
  ])
  func ignoresOtherText(text: String) { #expect(!LabelKeywords.strengths(before: text).announcesSerial) }
}

/// Covers: labels that were read with the first characters of their value.
@Suite struct SwallowedBeginningTests {
  @Test(arguments: ["Serial No. C", "Serial Number: C0", "Seriennummer F1", "S/N: C02"])
  func detectsSwallowedBeginning(text: String) { #expect(LabelKeywords.holdsBeginningOfValue(text)) }

  @Test(arguments: [
    "Serial No.", "SERIAL NO", "Serial Number:", "Serial Nr", "SERIAL NR", "(S) Serial No.", "Model A1", "C",
  ])
  func ignoresCompleteLabels(text: String) { #expect(!LabelKeywords.holdsBeginningOfValue(text)) }
}

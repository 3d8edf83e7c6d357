import Exports
import Foundation
import JobStore
import SQLiteStore
import ScanModel
import Testing

/// Exports of saved serials: cells of spreadsheets and CSV as other programs read them, dangerous text, filters, several
/// sheets, and leftover files.
@Suite struct SerialExportTests {
  @Test func guardsFormulasBehindEverySeparator() {
    let guarded = [
      "a;=1+1": "a;'=1+1", "a\t-1": "a\t'-1", "a,@x": "a,'@x", "a\r\n+1": "a\r\n'+1", "=1;=2": "'=1;'=2",
      "IMG-1, 2; a=b": "IMG-1, 2; a=b", "a;b": "a;b", "\t=1": "'\t'=1", "": "",
    ]
    for (text, cell) in guarded {
      #expect(DelimitedText.harmless(text) == cell)
    }
  }

  /// Text that a spreadsheet could treat as a formula, or that XML can't represent.
  static let dangerous = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=HYPERLINK(\"http://x\",\"y\")", "a,b \"c\"\r\nd", "<&>",
    "x\u{1}y\u{FFFF}z",
    "déjà 日本 🍏", "12345", "",
  ]

  private func withStore(_ body: (SQLiteJobStore, String) async throws -> Void) async throws {
    let folder = NSTemporaryDirectory() + "serialscan-export-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try SQLiteJobStore(path: folder + "/store/s.sqlite")
    for (number, text) in Self.dangerous.enumerated() {
      _ = try await store.save(
        NewSerial(
          serial: "C02XL0THJHC\(number)", confidence: 0.25 + Double(number) / 100,
          source: SerialSource.allCases[number % 3], isValid: number % 2 == 0, deviceType: text,
          preset: number % 2 == 0 ? .etched : nil, method: "tesseract", notes: text,
          readAt: Date(timeIntervalSince1970: 1_700_000_000 + Double(number) * 3600)))
    }
    try await body(store, folder)
    try store.close()
  }

  /// Debian's Python, which has openpyxl, whatever Python is first in the path.
  private static let python =
    FileManager.default.isExecutableFile(atPath: "/usr/bin/python3") ? "/usr/bin/python3" : "python3"
  private static let hasOpenpyxl = succeeds(python, ["-c", "import openpyxl"])
  private static let hasLibreOffice = succeeds("soffice", ["--version"])
  private static let exportRows = ProcessInfo.processInfo.environment["SERIALSCAN_EXPORT_ROWS"].flatMap { Int($0) }

  @Test func writesEscapedCSV() async throws {
    try await withStore { (store, folder) async throws -> Void in
      let path = folder + "/out.csv"
      let figures = try await SerialExport(format: .csv).write(from: store, to: path)
      #expect(figures.rows == Self.dangerous.count)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let lines = text.components(separatedBy: "\r\n")
      // Foundation removes the byte order mark, so the bytes are checked.
      #expect(FileManager.default.contents(atPath: path)?.prefix(3) == Data([0xEF, 0xBB, 0xBF]))
      #expect(
        lines[0] == "ID,Time (UTC),Serial,Device type,Preset,Confidence,Method,Source,Valid,Notes,"
          + "File,Verdict,Confirmed (UTC),Seen before (UTC),Model number,Part number,IMEI,IMEI2,EID")
      #expect(lines[1] == "1,2023-11-14 22:13:20,C02XL0THJHC0,'=1+1,etched,0.25,tesseract,scan,TRUE,'=1+1,,,,,,,,,")
      #expect(lines[4].contains(",'@SUM(A1),"))
      #expect(lines[5].contains("\"'\t'=1\""))
      #expect(text.contains("\"'\r'=1\""))
      #expect(text.contains("\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""))
      #expect(text.contains("\"a,b \"\"c\"\"\r\nd\""))
      #expect(text.hasSuffix("\r\n"))
    }
  }

  @Test func exportsOnlyFilteredRows() async throws {
    try await withStore { (store, folder) async throws -> Void in
      let path = folder + "/out.csv"
      let filter = SerialFilter(
        source: .scan, isValid: true, until: Date(timeIntervalSince1970: 1_700_000_000 + 36_000))
      let figures = try await SerialExport(format: .csv, filter: filter).write(from: store, to: path)
      #expect(figures.rows == 2 && figures.valid == 2 && figures.bySource == ["scan": 2])
      let nothing = SerialFilter(deviceType: "none of these")
      for format in SerialExport.Format.allCases {
        #expect(try await SerialExport(format: format, filter: nothing).write(from: store, to: path).rows == 0)
      }
    }
  }

  @Test(.enabled(if: hasOpenpyxl, "skipped: openpyxl is not installed"))
  func openpyxlReadsSpreadsheet() async throws {
    try await withStore { (store, folder) async throws -> Void in
      let path = folder + "/out.xlsx"
      try await SerialExport(format: .xlsx).write(from: store, to: path)
      let script = """
        import sys, json, datetime, openpyxl
        book = openpyxl.load_workbook(sys.argv[1])
        sheet = book["Serials"]
        rows = list(sheet.iter_rows())
        print(json.dumps({
          "sheets": book.sheetnames, "freeze": sheet.freeze_panes, "filter": sheet.auto_filter.ref,
          "bold": all(cell.font.b for cell in rows[0]), "width": sheet.column_dimensions["B"].width,
          "header": [cell.value for cell in rows[0]],
          "types": "".join(sorted({cell.data_type for row in rows[1:] for cell in row})),
          "formulas": sum(cell.data_type == "f" for s in book for row in s.iter_rows() for cell in row),
          "time": isinstance(rows[1][1].value, datetime.datetime) and rows[1][1].value.isoformat(),
          "first": [rows[1][0].value, rows[1][2].value, rows[1][5].value, rows[1][8].value],
          "notes": [row[9].value for row in rows[1:]],
          "summary": {row[0].value: row[1].value for row in book["Summary"].iter_rows(max_row=9) if row[0].value
                      in ("Serials", "Valid", "Invalid")},
        }))
        """
      let output = try Self.output(Self.python, ["-c", script, path])
      let seen = try JSONDecoder().decode(Seen.self, from: Data(output.utf8))
      #expect(seen.sheets == ["Serials", "Summary"])
      #expect(seen.freeze == "A2" && seen.filter == "A1:S\(Self.dangerous.count + 1)" && seen.bold && seen.width > 15)
      #expect(seen.header.first == "ID" && seen.header.last == "EID" && seen.header.count == 19)
      #expect(seen.formulas == 0)
      #expect(seen.types == "bdns")
      #expect(seen.time == "2023-11-14T22:13:20")
      #expect(seen.summary == ["Serials": 13, "Valid": 7, "Invalid": 6])
      // Characters that XML can't represent are removed; a carriage return is read as a line break.
      let expected = Self.dangerous.map {
        $0.replacing("\u{1}", with: "").replacing("\u{FFFF}", with: "").replacing("\r\n", with: "\n").replacing(
          "\r", with: "\n")
      }
      let notes = seen.notes.map {
        ($0 ?? "").replacing("_x000D_", with: "\r").replacing("\r\n", with: "\n").replacing("\r", with: "\n")
      }
      #expect(notes == expected)
    }
  }

  @Test(.enabled(if: hasOpenpyxl, "skipped: openpyxl is not installed"))
  func keepsTextThatLooksLikeAnEscapedCharacter() async throws {
    try await withStore { (store, folder) async throws -> Void in
      let texts = ["IMG_x1080_1.jpg", "_x0041_x0042_", "_x00_ x0041_ _", String(repeating: "_x0041_", count: 9000)]
      for text in texts {
        _ = try await store.save(
          NewSerial(
            serial: "C02XL0THJHCC", confidence: 0.5, source: .scan, isValid: true, deviceType: "t", notes: text))
      }
      let path = folder + "/out.xlsx"
      try await SerialExport(format: .xlsx, filter: SerialFilter(deviceType: "t")).write(from: store, to: path)
      let script = """
        import sys, json, openpyxl
        from openpyxl.utils.escape import unescape
        rows = openpyxl.load_workbook(sys.argv[1])["Serials"].iter_rows(min_row=2)
        print(json.dumps([unescape(row[9].value) for row in rows]))
        """
      let output = try Self.output(Self.python, ["-c", script, path])
      let read = try JSONDecoder().decode([String].self, from: Data(output.utf8))
      #expect(read.dropLast() == texts.dropLast())
      #expect(read.last?.hasPrefix("_x0041__x0041_") == true)
    }
  }

  @Test(.enabled(if: hasOpenpyxl, "skipped: openpyxl is not installed"))
  func continuesOnFurtherSheets() async throws {
    try await withStore { (store, folder) async throws -> Void in
      let path = folder + "/out.xlsx"
      var export = SerialExport(format: .xlsx)
      export.rowsPerSheet = 6
      try await export.write(from: store, to: path)
      let script =
        "import sys, openpyxl; print([(s.title, s.max_row, s.auto_filter.ref) for s in openpyxl.load_workbook(sys.argv[1])][:3])"
      let seen = try Self.output(Self.python, ["-c", script, path])
      #expect(seen == "[('Serials', 6, 'A1:S6'), ('Serials 2', 6, 'A1:S6'), ('Serials 3', 4, 'A1:S4')]\n")
    }
  }

  /// Run manually with SERIALSCAN_EXPORT_ROWS=1000000. Prints time, size and peak memory.
  @Test(.enabled(if: exportRows != nil, "skipped: SERIALSCAN_EXPORT_ROWS is not set"))
  func measuresExportOfManyRows() async throws {
    let rows = try #require(Self.exportRows)
    try await withStore { (store, folder) async throws -> Void in
      let insert = """
        WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < \(rows - Self.dangerous.count))
        INSERT INTO serials (created_at, serial, device_type, preset, confidence, method, source, valid, notes)
        SELECT 1700000000000000 + x * 60000000, printf('C02%05X%04X', x, x % 65536), 'MacBook Pro', 'etched',
          0.5 + (x % 50) / 100.0, 'tesseract', 'scan', 1, NULL FROM n
        """
      _ = try Self.output("sqlite3", [folder + "/store/s.sqlite", insert])
      for format in SerialExport.Format.allCases {
        let path = folder + "/out." + format.rawValue
        let start = ContinuousClock.now
        let before = Self.peakMemory(reset: true)
        let figures = try await SerialExport(format: format).write(from: store, to: path)
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        print("\(format): \(figures.rows) rows, \(start.duration(to: .now)), \(size) bytes,")
        print("  greatest memory \(Self.peakMemory()), \(before) before")
        #expect(figures.rows == rows)
      }
    }
  }

  private static func peakMemory(reset: Bool = false) -> String {
    if reset { try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8) }
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    return status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }.map(String.init) ?? "unknown"
  }

  private struct Seen: Decodable {
    var sheets: [String]
    var freeze: String
    var filter: String
    var bold: Bool
    var width: Double
    var header: [String]
    var types: String
    var formulas: Int
    var time: String
    var notes: [String?]
    var summary: [String: Int]
  }

  @Test(.enabled(if: hasLibreOffice, "skipped: LibreOffice is not installed"))
  func libreOfficeReadsSpreadsheet() async throws {
    try await withStore { (store, folder) async throws -> Void in
      let path = folder + "/out.xlsx"
      try await SerialExport(format: .xlsx).write(from: store, to: path)
      let profile = "-env:UserInstallation=file://\(folder)/profile"
      _ = try Self.output(
        "soffice",
        [profile, "--headless", "--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76", "--outdir", folder, path])
      let text = try String(contentsOfFile: folder + "/out.csv", encoding: .utf8)
      #expect(text.contains("ID,Time (UTC),Serial,Device type,Preset,Confidence,Method,Source,Valid,Notes,File"))
      #expect(text.contains("1,2023-11-14 22:13:20,C02XL0THJHC0,=1+1,etched,0.250,tesseract,scan,TRUE,=1+1"))
      #expect(text.contains("déjà 日本 🍏"))
    }
  }

  /// The text of all sheets.
  private static func sheets(_ path: String) throws -> String {
    let script = """
      import sys, zipfile
      book = zipfile.ZipFile(sys.argv[1])
      print("\\n".join(book.read(name).decode() for name in book.namelist() if name.endswith(".xml")))
      """
    return try output("python3", ["-c", script, path])
  }

  @Test func reviewSheetShowsDoubts() async throws {
    try await withStore { (store, folder) async throws -> Void in
      let doubt = Doubt(code: "no_label", sentence: "No label says that it is one.")
      for doubts in [[doubt], []] {
        let id = UUID().uuidString.lowercased()
        let job = NewJob(
          id: id,
          request: JobRequest(photo: "\(id).jpg", photoBytes: 3, preset: nil, deviceType: nil, persist: true))
        _ = try await store.enqueue(job, photo: store.blobs.stage([1, 2, 3]))
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 30))
        var read = SerialRead(
          serial: "C02G414GMD6N", confidence: 0.61, method: "tesseract", strategy: "text", isValid: true)
        read.doubts = doubts
        let reading = Reading(
          verdict: .uncertain, serials: [read], preset: .etched, presetWasDetected: true, strategyUsed: "text",
          fallbackUsed: false, trace: [], notes: [], photoSize: PixelSize(width: 1, height: 1), processingTime: 0.1,
          cpuTime: 0.1)
        try await store.finish(claimed.claim, with: .read(reading, save: false))
      }
      let path = folder + "/out.xlsx"
      try await SerialExport(format: .xlsx).write(from: store, toCheck: store, to: path)
      let text = try Self.sheets(path)
      #expect(text.contains("No label says that it is one."))
      #expect(text.contains("It could not be read with enough confidence (0.610)."))
      try await SerialExport(format: .xlsx, filter: SerialFilter(from: .now - 3600, until: .now + 3600)).write(
        from: store, toCheck: store, to: path)
      #expect(try Self.sheets(path).contains("0.610"))
      // Neither belongs to this batch, to these times or to reads of an app.
      for filter in [
        SerialFilter(batchID: "other"), SerialFilter(from: .now + 3600), SerialFilter(until: .now - 3600),
        SerialFilter(source: .ios),
      ] {
        try await SerialExport(format: .xlsx, filter: filter).write(from: store, toCheck: store, to: path)
        #expect(try !Self.sheets(path).contains("0.610"), "\(filter)")
      }
    }
  }

  @Test func summaryDistinguishesMissingTypesFromNames() throws {
    let rows = [nil, "none", "none", "other"].enumerated().map { index, type in
      SavedSerial(
        id: Int64(index), createdAt: Date(), serial: "C02G414GMD6N", deviceType: type, preset: nil, confidence: 1,
        method: nil, source: .scan, isValid: true, notes: nil, jobID: nil)
    }
    let path = NSTemporaryDirectory() + UUID().uuidString + ".xlsx"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let figures = try SerialExport(format: .xlsx).write(rows, to: path)
    #expect(figures.byDeviceType == [nil: 1, "none": 2, "other": 1] && figures.byPreset == [nil: 4])
    let sheets = try Self.sheets(path)
    #expect(sheets.contains("(not specified)") && !sheets.contains("(other)"))
  }

  @Test func namesFileByDayOfTimeZone() {
    let evening = Date(timeIntervalSince1970: 1_700_000_000)  // 2023-11-14 22:13 UTC
    #expect(SerialExport(format: .csv).fileName(at: evening) == "serials-2023-11-14.csv")
    #expect(SerialExport(format: .csv, timeZone: "Australia/Sydney").fileName(at: evening) == "serials-2023-11-15.csv")
  }

  @Test func countsRowsWithoutSerialSeparately() throws {
    func row(
      _ id: Int64, _ serial: String, _ confidence: Double, _ verdict: Reading.Verdict? = .accepted
    ) -> SavedSerial {
      SavedSerial(
        id: id, createdAt: Date(), serial: serial, deviceType: nil, preset: nil, confidence: confidence, method: nil,
        source: .scan, isValid: !serial.isEmpty, notes: nil, jobID: nil, filename: "\(id).jpg", verdict: verdict)
    }
    let rows = [row(1, "C02G414GMD6N", 0.9), row(2, "", 0, .refused), row(3, "C02XL0THJHCC", 0.8), row(4, "", 0, nil)]
    let path = NSTemporaryDirectory() + UUID().uuidString
    defer { for ending in ["csv", "xlsx"] { try? FileManager.default.removeItem(atPath: "\(path).\(ending)") } }
    let figures = try SerialExport(format: .xlsx).write(rows, to: path + ".xlsx", remark: "This is part of a run.")
    #expect(figures.rows == 4 && figures.serials == 2 && figures.valid == 2 && figures.bySource == ["scan": 2])
    #expect(abs((figures.meanConfidence ?? 0) - 0.85) < 1e-9)
    let sheets = try Self.sheets(path + ".xlsx")
    #expect(sheets.contains("This is part of a run."))
    #expect(
      figures.unreadable == 1 && sheets.contains("Photos without a serial") && sheets.contains("Unreadable photos"))
    // A row without a serial is neither valid nor invalid.
    #expect(sheets.components(separatedBy: #"t="b"><v>1</v>"#).count == 3 && !sheets.contains(#"t="b"><v>0</v>"#))
    // Further rows follow the existing ones.
    let export = SerialExport(format: .csv)
    try export.write(Array(rows.prefix(2)), to: path + ".csv")
    let earlier = try EarlierRows(csvAt: path + ".csv")
    #expect(earlier.count == 2 && earlier.contains("1.jpg") && !earlier.contains("3.jpg"))
    let appended = AppendedRows(path: path + ".csv", after: earlier, reading: ["3.jpg", "4.jpg"])
    for row in rows.suffix(2) { try appended.append([row]) }
    let text = try String(contentsOfFile: path + ".csv", encoding: .utf8)
    try export.write(rows, to: path + ".csv")
    #expect(try text == String(contentsOfFile: path + ".csv", encoding: .utf8))
    #expect(text.contains(",scan,TRUE,") && text.contains(",,scan,,") && !text.contains("FALSE"), "\(text)")
    try Data("a,b\n1,2\n".utf8).write(to: URL(fileURLWithPath: path + ".csv"))
    #expect(throws: ExportError.self) { try EarlierRows(csvAt: path + ".csv") }
  }

  @Test func failureLeavesWhatWasThere() async throws {
    try await withStore { (store, folder) async throws -> Void in
      for format in SerialExport.Format.allCases {
        let path = folder + "/broken"
        func expectFailure() async {
          await #expect(throws: BrokenStore.Broken.self) {
            try await SerialExport(format: format).write(
              SavedSerialRows(BrokenStore(store: store), SerialFilter(), models: .shared), to: path)
          }
        }
        await expectFailure()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["store"])
        try Data("earlier".utf8).write(to: URL(fileURLWithPath: path))
        await expectFailure()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "earlier")
        try FileManager.default.removeItem(atPath: path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["store"])
      }
      await #expect(throws: (any Error).self) {
        try await SerialExport(format: .csv).write(from: store, to: folder + "/nowhere/x.csv")
      }
      await #expect(throws: ExportError.self) {
        try await SerialExport(format: .xlsx).write(from: store, to: folder + "/nowhere/x.xlsx")
      }
    }
  }

  @Test func fullDiskIsReported() async throws {
    try await withStore { (store, folder) async throws -> Void in
      let path = folder + "/full.csv"
      // The temporary name, so that each write fails as on a full disk.
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/.serialscan-full.csv", withDestinationPath: "/dev/full")
      await #expect(throws: ExportError.diskFull) {
        try await SerialExport(format: .csv).write(from: store, to: path)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["store"])
    }
  }

  /// A store that fails after the first batch.
  private struct BrokenStore: SerialStore {
    struct Broken: Error {}
    var store: SQLiteJobStore

    func save(_ serial: NewSerial) async throws -> SavedSerial { throw Broken() }
    func serial(id: Int64) async throws -> SavedSerial? { throw Broken() }
    func serialCount(_ filter: SerialFilter) async throws -> Int { throw Broken() }
    func earlierReads(_ reads: [ReadInQuestion]) async throws -> [Date?] { throw Broken() }
    func serialStatistics(days: Int, batchID: String?) async throws -> SerialStatistics { throw Broken() }
    func serials(_ query: SerialQuery) async throws -> Page<SavedSerial> {
      guard query.cursor == nil else { throw Broken() }
      var query = query
      query.limit = 3
      return try await store.serials(query)
    }
  }

  private static func succeeds(_ program: String, _ arguments: [String]) -> Bool {
    (try? output(program, arguments)) != nil
  }

  private struct Failed: Error {}

  private static func output(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed() }
    return String(decoding: data, as: UTF8.self)
  }
}

import Foundation
import Testing

/// `serialscan models`: importing codes completely or not at all, listing them in the form of an import, removing them.
@Suite(.serialized) struct ModelsCommandTests {
  private static func file(_ text: String) throws -> String {
    let folder = RunningServer.freshFolder()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("codes.csv")
    try Data(text.utf8).write(to: file)
    return file.path
  }

  @Test func importsListsAndRemovesCodes() async throws {
    let server = try RunningServer()
    func models(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
      let run = try RunningServer.run(["models"] + arguments + ["--data", server.data.path])
      return (run.status, run.output, run.errors)
    }
    #expect(try models("list").output.hasPrefix("No configuration codes are known."))
    let comma = try Self.file("code,name\nmd6n,A2141\nDV7,\"MacBook Pro (13-inch, Mid 2010)\"\n")
    #expect(try models("import", comma).output == "2 codes imported (2 new)\n")
    #expect(try models("import", comma).output == "2 codes imported (0 new)\n")
    // Without a header, the character after the code is the separator, whatever the name contains.
    let semicolon = try Self.file("\u{FEFF}LVCF;MacBook Pro (15-inch, 2018)\r\n\r\n")
    #expect(try models("import", semicolon).output == "1 code imported (1 new)\n")
    #expect(try models("import", Self.file("Q6L4\tA2337\n")).status == 0)
    #expect(try models("import", Self.file(" , \n\ncode,name,\nQ6L4,A2337,\n")).output == "1 code imported (0 new)\n")
    #expect(try await server.get("/stats").json["known_codes"] as? Int == 4)
    let list = try models("list").output
    #expect(list.contains("MD6N  A2141 (MacBook Pro (16-inch, 2019))  imported\n"), "\(list)")
    let table = try models("list", "--csv").output
    #expect(table.hasPrefix("code,name\nDV7,\"MacBook Pro (13-inch, Mid 2010)\"\n"), "\(table)")
    #expect(try models("import", Self.file(table)).output == "4 codes imported (0 new)\n")
    let unknown = try models("remove", "MD6N", "QQQQ")
    #expect(unknown.status == 1 && unknown.errors.contains("QQQQ is not known"))
    #expect(try models("remove", "md6n", "DV7").output == "removed 2 codes\n")
    #expect(try await server.get("/stats").json["known_codes"] as? Int == 2)
  }

  @Test func invalidLinesAreNamedAndNothingIsImported() throws {
    let server = try RunningServer()
    func imported(_ text: String) throws -> (status: Int32, errors: String) {
      let run = try RunningServer.run(["models", "import", try Self.file(text), "--data", server.data.path])
      return (run.status, run.errors)
    }
    let wrong = try imported(
      "code,name\nMD6N,A2141\nMDON,A2141\nC02ZK1ABMD6N,A2141\nQ6L4,\nLVCF\nJG5H,Pro, 2018\n1.00E+05,A2141\n")
    #expect(wrong.status == 1)
    for sentence in [
      "line 3: MDON has the letter O, which no serial has; is it 0?",
      "line 4: the code must be the last 4 characters of a serial, or 3 of one with 11 (found C02ZK1ABMD6N)",
      "line 5: the name of Q6L4 is missing", "line 6: expected code,name, found 1 cell",
      "line 7: expected code,name, found 3 cells: put a name that has the separator in it in quotes",
      "line 8: the code: a spreadsheet changed it into the number `1.00E+05`. Format the column as text",
    ] {
      #expect(wrong.errors.contains(sentence), "\(wrong.errors)")
    }
    #expect(!wrong.errors.contains("line 2"))
    #expect(try imported("Configuration Code,Model\nMD6N,A2141\n").errors.contains("(found Configuration Code)"))
    #expect(try imported("MD6N,\"A2141\n").errors.contains("the quote that opens on line 1 never closes"))
    #expect(try imported("code,name\n").errors.contains("has no row with a code and a name"))
    #expect(try RunningServer.run(["models", "import", "/tmp/none.csv"]).errors.contains("there is no file"))
    let list = try RunningServer.run(["models", "list", "--data", server.data.path]).output
    #expect(list.hasPrefix("No configuration codes"))
  }
}

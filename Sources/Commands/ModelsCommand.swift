import AppleSerial
import ArgumentParser
import Exports
import HTTPAPI
import JobStore
import Support

/// `serialscan models`: manages the configuration codes in a store.
struct ModelsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "models", abstract: "Import, list and remove configuration codes.",
    discussion: """
      The last four characters of a 12-character serial (three of an 11-character one) are a code for its exact model.
      The server learns codes when people confirm serials, and uses those imported here within seconds.

      Examples:
        serialscan models import codes.csv
        serialscan models list --csv > codes.csv
        serialscan models remove MD6N
      """,
    subcommands: [Import.self, List.self, Remove.self])

  /// Imports the codes of a file, all or nothing.
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add the codes of a CSV file: code,name.",
      discussion: """
        One code per row, separated by commas, semicolons or tabs; the header line code,name is optional. The name is a \
        model number (A2141), a model identifier (MacBookPro16,1) or any other name of the model. It is shown as the \
        model of devices with this code, also of those that were read before. If a row is invalid, nothing is imported.
        """)

    @Argument(help: "The CSV file.", completion: .file(extensions: ["csv", "tsv", "txt"]), transform: notEmpty)
    var file: String

    @OptionGroup var options: StoreOptions

    func run() async throws {
      let codes = try ModelCodesFile(at: file).codes
      let new = try await options.changeStore { try await $0.addModelCodes(codes) }
      try StandardOutput.shared.print("\(counted(codes.count, "code")) imported (\(new) new)")
    }
  }

  /// Lists the codes with their models.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the codes, their models and how often they were confirmed.")

    @Flag(help: "Print code,name as CSV, as `models import` reads it.")
    var csv = false

    @OptionGroup var options: StoreOptions

    func run() async throws {
      let codes = try await options.openStore().modelCodes()
      if csv {
        try StandardOutput.shared.write(
          (DelimitedText.line(["code", "name"]) + codes.map { DelimitedText.line([$0.code, $0.model]) }.joined())
            .replacing("\r\n", with: "\n"))
        return
      }
      if codes.isEmpty {
        return try StandardOutput.shared.print(
          "No configuration codes are known. `serialscan models import FILE.csv` adds some; confirmed serials add theirs."
        )
      }
      for code in codes {
        let name = ModelNames.shared.table.name(of: code.model).map { " (\($0))" } ?? ""
        let times = code.confirmed == 1 ? "confirmed once" : "confirmed \(code.confirmed) times"
        let origin = (code.isImported ? ["imported"] : []) + (code.confirmed > 0 ? [times] : [])
        try StandardOutput.shared.print(
          "\(code.code)  \(printable(code.model + name))  \(origin.joined(separator: ", "))")
      }
    }
  }

  /// Removes codes, all or nothing.
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Remove codes with all their models.")

    @Argument(help: "The codes.", transform: notEmpty)
    var codes: [String]

    @OptionGroup var options: StoreOptions

    func run() async throws {
      let named = codes.map { $0.uppercased() }
      let unknown = try await options.changeStore { try await $0.removeModelCodes(named) }
      guard unknown.isEmpty else {
        throw CleanExit.failure(
          "nothing was removed: \(unknown.joined(separator: ", ")) is not known; `serialscan models list` shows the codes"
        )
      }
      try StandardOutput.shared.print("removed \(counted(Set(named).count, "code"))")
    }
  }
}

import ArgumentParser
import Foundation
import Settings
import Support

/// The flags of `serve`, and of commands that check its settings.
struct ServerOptions: ParsableArguments {
  @Option(help: "Address to listen on (default: 0.0.0.0, every interface).")
  var host: String?

  // `.unconditional`, so that an error names the range of a negative number and not a missing value.
  @Option(parsing: .unconditional, help: "Port to listen on (default: 8000; 0 picks a free port).")
  var port: String?

  @OptionGroup var settings: SettingsOptions

  /// Loads the settings, as `SettingsOptions.load` does.
  func load() throws -> Settings { try settings.load(named) }

  /// Returns every effective setting with its origin.
  func origins() throws -> [(key: String, value: String, origin: String)] { try settings.origins(named) }

  private var named: [(key: String, text: String?)] { [("host", host), ("port", port)] }
}

/// The flags of commands that serve HTTP, run workers or use all settings.
struct SettingsOptions: ParsableArguments {
  @Option(help: "Folder that contains labelled folders (default: ./datasets).", completion: .directory)
  var datasets: String?

  @Option(
    parsing: .unconditional,
    help:
      "Photos read at the same time (default: one per core; with serve, 0 only serves).")
  var workers: String?

  @OptionGroup var store: StoreOptions

  /// Loads the settings: defaults, then the file, then the environment, then the flags.
  func load(_ more: [(key: String, text: String?)] = []) throws -> Settings { try store.load(named + more) }

  /// Returns every effective setting with its origin.
  func origins(_ more: [(key: String, text: String?)]) throws -> [(key: String, value: String, origin: String)] {
    try store.overrides.origins(named: store.named + named + more)
  }

  private var named: [(key: String, text: String?)] { [("datasets", datasets), ("workers", workers)] }
}

/// The flags of commands that open a store.
struct StoreOptions: ParsableArguments {
  @Option(help: "Folder for the database, photos and reports (default: ./data).", completion: .directory)
  var data: String?

  @Option(
    name: .customLong("store"),
    help: "A shared PostgreSQL: postgresql://user@host/database (default: SQLite in the data folder).")
  var address: String?

  @OptionGroup var overrides: SettingOverrides

  /// Loads the settings, as `SettingsOptions.load` does.
  func load(_ more: [(key: String, text: String?)] = []) throws -> Settings { try overrides.load(named: named + more) }

  fileprivate var named: [(key: String, text: String?)] { [("data", data), ("store.url", address)] }
}

/// The flags of commands that support only a data folder.
struct FolderOptions: ParsableArguments {
  @Option(help: "Folder for the database, photos and reports (default: ./data).", completion: .directory)
  var data: String?

  // Accepted only so that a message can explain what to use instead.
  @Option(name: .customLong("store"), help: .hidden)
  var address: String?

  @OptionGroup var overrides: SettingOverrides

  /// Loads the settings, as `SettingsOptions.load` does.
  func load() throws -> Settings { try overrides.load(named: [("data", data), ("store.url", address)]) }
}

/// The flags for the settings file and for single settings, which commands without a server accept too.
struct SettingOverrides: ParsableArguments {
  @Option(
    help: "A settings file; config/serialscan.yaml lists all settings.",
    completion: .file(extensions: ["yaml", "yml"]))
  var config: String?

  @Option(name: .customLong("set"), help: "A setting as KEY=VALUE, such as queue.lease=20. Can be repeated.")
  var assignments: [String] = []

  /// Loads the settings: defaults, then the file, then the environment, then the flags. Named flags are given in
  /// `named`, and in `names` those whose name does not follow from their key.
  func load(named: [(key: String, text: String?)] = [], as names: [String: String] = [:]) throws -> Settings {
    let flags = try flags(named, as: names)
    let environment = ProcessInfo.processInfo.environment
    return try Self.refusing { () throws(SettingsError) in
      try Settings.load(file: config ?? environment["SERIALSCAN_CONFIG"], environment: environment, flags: flags)
    }
  }

  /// Returns every effective setting with its origin.
  func origins(named: [(key: String, text: String?)] = []) throws -> [(key: String, value: String, origin: String)] {
    let flags = try flags(named)
    let environment = ProcessInfo.processInfo.environment
    return try Self.refusing { () throws(SettingsError) in
      try Settings.origins(file: config ?? environment["SERIALSCAN_CONFIG"], environment: environment, flags: flags)
    }
  }

  /// Ends the program with a usage error if a flag is wrong, or with the status for settings otherwise.
  private static func refusing<Value>(_ load: () throws(SettingsError) -> Value) throws -> Value {
    do throws(SettingsError) {
      return try load()
    } catch {
      guard error.origin.hasPrefix("--") else { throw CleanExit.misconfigured(error.description) }
      throw ValidationError(printable(error.description))
    }
  }

  private func flags(
    _ named: [(key: String, text: String?)], as names: [String: String] = [:]
  ) throws -> [(key: String, text: String, flag: String)] {
    // A key's flag is its first component: --store sets store.url.
    var flags = named.compactMap { key, text in
      text.map { (key: key, text: $0, flag: names[key] ?? "--\(key.prefix { $0 != "." })") }
    }
    for assignment in assignments {
      guard let sign = assignment.firstIndex(of: "=") else {
        throw ValidationError("--set must be KEY=VALUE (got \"\(printable(assignment))\")")
      }
      flags.append(
        (String(assignment[..<sign]), String(assignment[assignment.index(after: sign)...]), "--set"))
    }
    return flags
  }
}

extension CleanExit {
  /// Prints a message to standard error and returns exit status 1.
  ///
  /// - Parameter details: Lines below the message.
  static func failure(_ sentence: String, details: [String] = []) -> ExitCode {
    let lines = ["serialscan: \(printable(sentence))"] + details.map { "  \(printable($0))" }
    StandardError.shared.write(lines.map { "\($0)\n" }.joined())
    return ExitCode.failure
  }

  /// Prints a message and returns status 78, `EX_CONFIG` of sysexits.h, for settings that restarting can't fix: service
  /// managers then don't restart the program.
  static func misconfigured(_ sentence: String) -> ExitCode {
    _ = failure(sentence)
    return ExitCode(78)
  }
}

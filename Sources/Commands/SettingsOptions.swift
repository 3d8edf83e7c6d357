import ArgumentParser
import Foundation
import Settings
import StandardStreams

/// The flags that every command shares, and the settings they give.
struct SettingsOptions: ParsableArguments {
  @Option(help: "Folder of the database, the photos and the reports (default: ./data).", completion: .directory)
  var data: String?

  @Option(help: "Folder below which labelled folders are found (default: ./datasets).", completion: .directory)
  var datasets: String?

  @Option(help: "Photos read at the same time (default: one a core; 0 leaves them to others that share the store).")
  var workers: String?

  @Option(
    help: "A PostgreSQL that machines share, postgresql://user@host/database (default: SQLite in the data folder).")
  var store: String?

  @OptionGroup var overrides: SettingOverrides

  /// Loads the settings: defaults, then the file, then the variables, then the flags.
  func load(_ more: [(key: String, text: String?)] = []) throws -> Settings {
    try overrides.load(named: named + more)
  }

  /// Every setting in force, with where it was set.
  func origins() throws -> [(key: String, value: String, origin: String)] { try overrides.origins(named: named) }

  private var named: [(key: String, text: String?)] {
    [("data", data), ("datasets", datasets), ("workers", workers), ("store.url", store)]
  }
}

/// The settings file and single settings, which commands without a server take too.
struct SettingOverrides: ParsableArguments {
  @Option(
    help: "A settings file; see config/serialscan.yaml for what can stand in it.",
    completion: .file(extensions: ["yaml", "yml"]))
  var config: String?

  @Option(name: .customLong("set"), help: "A setting as KEY=VALUE, such as queue.lease=20. Can be repeated.")
  var assignments: [String] = []

  /// Loads the settings: defaults, then the file, then the variables, then the flags, of which some have names of their own.
  func load(named: [(key: String, text: String?)] = []) throws -> Settings {
    let flags = try flags(named)
    let environment = ProcessInfo.processInfo.environment
    do {
      return try Settings.load(
        file: config ?? environment["SERIALSCAN_CONFIG"], environment: environment, flags: flags)
    } catch {
      throw CleanExit.misconfigured(error.description)
    }
  }

  /// Every setting in force, with where it was set.
  func origins(named: [(key: String, text: String?)] = []) throws -> [(key: String, value: String, origin: String)] {
    let flags = try flags(named)
    let environment = ProcessInfo.processInfo.environment
    do {
      return try Settings.origins(
        file: config ?? environment["SERIALSCAN_CONFIG"], environment: environment, flags: flags)
    } catch {
      throw CleanExit.misconfigured(error.description)
    }
  }

  private func flags(
    _ named: [(key: String, text: String?)]
  ) throws -> [(key: String, text: String, flag: String)] {
    // A key's flag has its first word: --store sets store.url.
    var flags = named.compactMap { key, text in
      text.map { (key: key, text: $0, flag: "--\(key.prefix { $0 != "." })") }
    }
    for assignment in assignments {
      guard let sign = assignment.firstIndex(of: "=") else {
        throw ValidationError("--set wants KEY=VALUE, not \"\(assignment)\"")
      }
      flags.append(
        (String(assignment[..<sign]), String(assignment[assignment.index(after: sign)...]), "--set"))
    }
    return flags
  }
}

extension CleanExit {
  /// Prints a sentence for a person to standard error; the program then ends with status 1.
  static func stop(_ sentence: String) -> ExitCode {
    StandardError.shared.write("serialscan: \(sentence)\n")
    return ExitCode.failure
  }

  /// The same with status 78, `EX_CONFIG` of sysexits.h, for settings that no further start will mend: services are not
  /// started again then.
  static func misconfigured(_ sentence: String) -> ExitCode {
    _ = stop(sentence)
    return ExitCode(78)
  }
}

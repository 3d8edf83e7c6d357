import ArgumentParser
import Support

/// `serialscan version`: prints the version.
struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")

  /// The version of the program and of the API; see CHANGELOG.md.
  static let version = "1.1.0"

  func run() throws { try StandardOutput.shared.print(Self.version) }
}

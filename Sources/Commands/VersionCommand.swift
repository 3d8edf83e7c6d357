import ArgumentParser

/// `serialscan version`: the version, and nothing else.
struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")

  /// The version of program and wire contract; CHANGELOG.md says what is in it.
  static let version = "1.1.0"

  func run() { print(Self.version) }
}

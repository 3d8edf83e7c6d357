import ArgumentParser

/// The command line: `serve`, `scan`, `evaluate`, `export`, `keys`, and the hidden reader.
@main
struct SerialScan: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serialscan", abstract: "Reads Apple serial numbers from photos.")
}

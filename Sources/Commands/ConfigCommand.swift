import ArgumentParser
import Support

/// `serialscan config`: prints effective settings and their sources.
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Print effective settings and their sources.",
    discussion: """
      With the same file, variables and flags as `serialscan serve`, it prints that server's settings.

      Examples:
        serialscan config --changed
        serialscan config --config serialscan.yaml --port 8001
      """)

  @Flag(help: "Only settings that differ from the defaults.")
  var changed = false

  @OptionGroup var options: ServerOptions

  func run() throws {
    for warning in try options.load().warnings { StandardError.shared.write("serialscan: \(printable(warning))\n") }
    let settings = try options.origins().filter { !changed || !$0.origin.hasPrefix("built-in") }
    let width = min(60, settings.map { $0.key.count + $0.value.count + 2 }.max() ?? 0)
    for setting in settings {
      let line = printable("\(setting.key): \(setting.value)")
      try StandardOutput.shared.print(
        line + String(repeating: " ", count: max(0, width - line.count)) + "  # \(setting.origin)")
    }
  }
}

import Foundation
import Testing

/// Help with working examples, and shell completions.
@Suite struct CommandLineTests {
  /// A command as `--help` describes it.
  private struct Description: Decodable {
    struct Argument: Decodable {
      struct Name: Decodable { var name: String }
      var names: [Name]?
    }
    var commandName: String
    var discussion: String?
    var arguments: [Argument]?
    var subcommands: [Description]?

    /// The example commands of its help.
    var examples: [String] {
      (discussion ?? "").split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { $0.hasPrefix("serialscan ") || $0.contains("| serialscan ") }
    }
  }

  private static func described() throws -> Description {
    struct Dump: Decodable { var command: Description }
    let run = try RunningServer.run(["--experimental-dump-help"])
    return try JSONDecoder().decode(Dump.self, from: Data(run.output.utf8)).command
  }

  @Test func everyCommandHasOneLineExamplesWithValidFlags() throws {
    let program = try Self.described()
    for command in try #require(program.subcommands) where !["version", "help"].contains(command.commandName) {
      #expect(!command.examples.isEmpty, "\(command.commandName)")
      for example in command.examples {
        // Help indents examples by two columns and wraps lines at 80: a wrapped one can't be copied.
        #expect(example.count <= 78, "\(example)")
        let words = example.split(separator: " ").drop { $0 != "serialscan" }.dropFirst().map(String.init)
        let child = command.subcommands?.first { words.count > 1 && $0.commandName == words[1] }
        let known = ((child ?? command).arguments ?? []).flatMap { ($0.names ?? []).map { "--\($0.name)" } }
        #expect(words.first == command.commandName && (child != nil || command.subcommands == nil), "\(example)")
        for flag in words where flag.hasPrefix("--") { #expect(known.contains(flag), "\(example)") }
      }
    }
  }

  @Test func completionsCoverEveryCommand() throws {
    let names = try #require(try Self.described().subcommands?.map(\.commandName))
    for shell in ["bash", "zsh", "fish"] {
      let run = try RunningServer.run(["--generate-completion-script", shell])
      #expect(run.status == 0)
      for name in names { #expect(run.output.contains(name), "\(name) is missing for \(shell)") }
      guard shell == "bash" else { continue }
      let script = RunningServer.freshFolder().appendingPathComponent("serialscan")
      try run.output.write(to: script, atomically: true, encoding: .utf8)
      #expect(try CrashTests.output(of: "/bin/bash", ["-n", script.path]) == "")
    }
  }

  @Test(arguments: [["help"], ["help", "help"], ["help", "-h"], ["help", "keys", "add"]])
  func helpShowsItsCommand(_ arguments: [String]) throws {
    let run = try RunningServer.run(arguments)
    #expect(run.status == 0 && run.output.contains("USAGE: serialscan") && run.errors.isEmpty, "\(run)")
  }

  @Test func copyNamesItsOwnFlags() throws {
    let run = try RunningServer.run(["copy", "--from", "x", "--to", "y"])
    #expect(run.errors.contains("--to: expected an address") && !run.errors.contains("--store"), "\(run.errors)")
    let missing = try RunningServer.run(["copy", "--from", "/nonexistent", "--to", "postgresql://localhost:1/x"])
    #expect(missing.errors.contains("with --from") && !missing.errors.contains("--data"), "\(missing.errors)")
  }

  @Test(arguments: [
    ["scan"], ["scan", "--preset", "glass", "x.jpg"], ["scam"], ["scan", "x.jpg", "--output", "x.pdf"],
    ["scan", "x.jpg", "--workers", "many"], ["scan", "x.jpg", "--skip-done"], ["scan", "x.jpg", "--annotate", "y.jpg"],
    ["scan", "x.jpg", "--explain", "y.jpg"], ["serve", "--port", "x"], ["serve", "--set", "nosuch=1"],
    ["work", "--set", "queue.lease=soon"],
    ["export", "x.pdf"], ["export", "x.csv", "--date-from", "monday"],
    ["export", "x.csv", "--date-from", "2026-02-30"], ["export", "x.csv", "--date-to", "2026-11-31"],
    ["export", "x.csv", "--validation-status", "so"],
    ["export", "x.csv", "--date-from", "2026-02-01", "--date-to", "2026-01-01"], ["export", "x.csv", "--workers", "2"],
    ["keys", "add", "x", "--scopes", "all"], ["backup", "x", "--workers", "2"], ["restore", "x", "--datasets", "y"],
    ["evaluate", "x", "--jobs", "0"], ["sweep", "x", "--preset", "etched", "--rounds", "9"], ["track", "x"],
    ["copy", "--from", "x", "--to", "y"], ["doctor", "--set", "port=99999999"], ["config", "--workers", "x"],
    ["watch", "x", "--device-type", String(repeating: "x", count: 101)],
    ["help", "scam"], ["help", "scan", "x"], ["help", "keys", "ad"],
  ])
  func wrongCommandLineExitsWith64(_ arguments: [String]) throws {
    let run = try RunningServer.run(arguments)
    #expect(run.status == 64 && run.errors.contains("Error:") && run.output.isEmpty, "\(run.errors)")
  }
}

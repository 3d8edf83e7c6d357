import ArgumentParser
import Dispatch
import Foundation
import Support

/// The command line. Only this module combines the parts of the program.
package struct SerialScan: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "serialscan", abstract: "Reads Apple serial numbers from photos.",
    discussion: """
      Examples:
        serialscan scan photos/ --output serials.xlsx
        serialscan serve --port 8000 --data ./data
        curl -F image=@photo.jpg http://localhost:8000/scan
      """,
    version: VersionCommand.version,
    subcommands: [
      ServeCommand.self, WorkCommand.self, ScanCommand.self, WatchCommand.self, EvaluateCommand.self, SweepCommand.self,
      ExportCommand.self, KeysCommand.self, ModelsCommand.self, BackupCommand.self, RestoreCommand.self,
      CopyCommand.self,
      DoctorCommand.self, ConfigCommand.self,
      TrackCommand.self, VersionCommand.self,
    ])

  /// Creates the command, for the parser.
  package init() {}

  /// Runs the command line and ends the program.
  ///
  /// This is not an asynchronous `main`, which starts threads before its first statement: a child process confines only
  /// its current thread and the threads started from it.
  package static func begin() -> Never {
    switch CommandLine.arguments.dropFirst().first {
    case ReaderProgram.name: ReaderProgram.run()
    case TrackerProgram.name: TrackerProgram.run()
    default:
      let words = CommandLine.arguments.dropFirst()
      rejectDashedFile(words, of: command(named: words))
    }
    // Writing to a pipe without a reader fails, so that commands can finish their files before they end.
    StandardStreams.ignoreBrokenPipes()
    Task {
      do {
        var command = try await asyncParseAsRoot()
        do {
          if var command = command as? any AsyncParsableCommand {
            try await command.run()
          } else {
            try command.run()
          }
        } catch let error as ValidationError {
          end(with: error, of: type(of: command))
        }
      } catch {
        end(with: error)
      }
      ProgramEnd.with(.success)
    }
    dispatchMain()
  }

  /// Ends the program with a usage error that a command found while it ran. The message names the command, as it does
  /// for errors found by the parser.
  private static func end(with error: ValidationError, of command: any ParsableCommand.Type) -> Never {
    let name = names(of: command).joined(separator: " ")
    let message = """
      Error: \(error.message)
      Usage: \(usageString(for: command))
        See '\(name) --help' for more information.
      """
    StandardError.shared.write(printable(message, keepingLineEnds: true) + "\n")
    ProgramEnd.with(exitCode(for: error))
  }

  /// Returns the command that the first words name. Ends the program with a usage error if it does not exist, and
  /// suggests a similar one: the parser would call it an unexpected argument, and after `help` show the help of the
  /// command above it.
  private static func command(named words: ArraySlice<String>) -> any ParsableCommand.Type {
    let isHelp = words.first == "help"
    var command: any ParsableCommand.Type = SerialScan.self
    for word in isHelp ? words.dropFirst().filter({ !$0.hasPrefix("-") && $0 != "help" }) : Array(words) {
      let known = command.configuration.subcommands
      // What follows are arguments, which the parser checks.
      if !isHelp, known.isEmpty || word.hasPrefix("-") { break }
      guard let next = known.first(where: { $0._commandName == word }) else {
        let advice = Spelling.advice(for: word, among: known.map { $0._commandName })
        let problem = word.isEmpty ? "The name of the command is empty." : "There is no command `\(word)`.\(advice)"
        end(with: ValidationError(problem), of: command)
      }
      command = next
    }
    return command
  }

  /// Ends the program with a usage error for a file whose name begins with a dash: the parser would treat its letters as
  /// options, and show the help if `h` is one of them.
  private static func rejectDashedFile(_ words: ArraySlice<String>, of command: any ParsableCommand.Type) {
    for word in words.prefix(while: { $0 != "--" }) where word.hasPrefix("-") && !word.hasPrefix("--") {
      // Negative numbers are an option's value.
      if ["-", "-h", "-help"].contains(word) || word.split(separator: ",").allSatisfy({ Double($0) != nil }) {
        continue
      }
      end(
        with: ValidationError("There is no option `\(word)`. For a file of this name, write `./\(word)`."), of: command)
    }
  }

  /// Returns the words that call a command, from the program's name; empty if it is not below `root`.
  private static func names(
    of command: any ParsableCommand.Type, below root: any ParsableCommand.Type = SerialScan.self
  ) -> [String] {
    if root == command { return [root._commandName] }
    let below = root.configuration.subcommands.lazy.map { names(of: command, below: $0) }.first { !$0.isEmpty }
    return below.map { [root._commandName] + $0 } ?? []
  }

  /// Ends the program with an error's message and exit status. A request for help counts as an error.
  private static func end(with error: any Error) -> Never {
    if !(error is StandardOutput.Problem), let refusal = FileRefusal(error) {
      let path = (error as NSError).userInfo[NSFilePathErrorKey] as? String
      ProgramEnd.with(CleanExit.failure("\(path ?? "a file") can't be used: \(refusal)"))
    }
    let code = exitCode(for: error)
    let message = fullMessage(for: error)
    do {
      if error is StandardOutput.Problem { throw error }
      if code == .success { try StandardOutput.shared.print(message) }
    } catch StandardOutput.Problem.closedPipe {
      ProgramEnd.afterClosedPipe()
    } catch {
      ProgramEnd.with(CleanExit.failure("\(error)"))
    }
    // The message quotes what was typed.
    if code != .success, !message.isEmpty {
      StandardError.shared.write(printable(message, keepingLineEnds: true) + "\n")
    }
    ProgramEnd.with(code)
  }
}

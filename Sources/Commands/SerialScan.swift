import ArgumentParser

/// The command line. This module is the one place where the parts are put together.
package struct SerialScan: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "serialscan", abstract: "Reads Apple serial numbers from photos.",
    version: VersionCommand.version,
    subcommands: [
      ServeCommand.self, ScanCommand.self, EvaluateCommand.self, ExportCommand.self, KeysCommand.self,
      BackupCommand.self, RestoreCommand.self, DoctorCommand.self, ConfigCommand.self,
      VersionCommand.self,
      ReaderCommand.self,
    ])

  /// Creates the command, for the parser.
  package init() {}
}

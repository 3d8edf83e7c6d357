import ArgumentParser
import Foundation
import Support

/// `serialscan doctor`: diagnoses an installation and suggests fixes.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Diagnose an installation and suggest fixes.",
    discussion: """
      Changes nothing and can run beside the server; give it the same file, variables and flags. Exit status: 0 if there \
      are no problems (warnings are allowed), 1 if there is one.

      Examples:
        serialscan doctor --data /var/lib/serialscan
      """)

  @OptionGroup var options: ServerOptions

  func run() throws {
    // An invalid setting ends the program with its own message.
    let settings = try options.load()
    try StandardOutput.shared.print("ok       settings: every value is in its range; `serialscan config` prints them")
    let doctor = Doctor(settings: settings, folder: DataFolder(path: settings.data))
    var findings = settings.warnings.map { Finding(.look, "settings", $0) }
    for check in doctor.checks { findings += check() }
    for finding in findings { try StandardOutput.shared.print(finding.line) }
    let wrong = findings.count { $0.level == .wrong }
    if wrong > 0 { throw CleanExit.failure("\(counted(wrong, "problem")) to fix") }
  }
}

/// A result of one check.
struct Finding: Equatable {
  /// The severity.
  enum Level: String {
    /// No problem.
    case ok
    /// A warning: not a problem yet.
    case look = "warning"
    /// A problem that must be fixed.
    case wrong = "problem"
  }

  var level: Level
  /// What was checked.
  var place: String
  /// The result, and a fix if there is a problem.
  var sentence: String

  init(_ level: Level, _ place: String, _ sentence: String) {
    (self.level, self.place, self.sentence) = (level, place, sentence)
  }

  /// The finding as a line of output.
  var line: String {
    level.rawValue.padding(toLength: 9, withPad: " ", startingAt: 0) + "\(place): \(printable(sentence))"
  }
}

import ArgumentParser
import Foundation
import Support

/// `serialscan doctor`: what is wrong with an installation, in sentences.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Look over an installation and say what is wrong, and what to do.",
    discussion: """
      Changes nothing, and may run beside the server; give it the same file, variables and flags. Ends with status 0 where \
      all is well or worth a look at most, 1 where something is wrong.

      Examples:
        serialscan doctor --data /var/lib/serialscan
      """)

  @OptionGroup var options: SettingsOptions

  func run() throws {
    // A setting that is wrong ends the program with its own sentence.
    let settings = try options.load()
    print("ok       settings: every value is in its range; `serialscan config` prints them")
    let examination = Examination(settings: settings, folder: DataFolder(path: settings.data))
    var findings = settings.warnings.map { Finding(.look, "settings", $0) }
    for check in examination.checks { findings += check() }
    for finding in findings { print(finding.line) }
    let wrong = findings.count { $0.level == .wrong }
    if wrong > 0 { throw CleanExit.stop("\(wrong) of these must be put right") }
  }
}

/// What was found at one place.
struct Finding: Equatable {
  /// How bad it is.
  enum Level: String {
    /// As it should be.
    case ok
    /// Nothing is broken, but somebody should look at it.
    case look
    /// It must be put right.
    case wrong
  }

  var level: Level
  /// What was looked at.
  var place: String
  /// What was found, and what to do about it.
  var sentence: String

  init(_ level: Level, _ place: String, _ sentence: String) {
    (self.level, self.place, self.sentence) = (level, place, sentence)
  }

  /// A line for a person.
  var line: String {
    level.rawValue.padding(toLength: 9, withPad: " ", startingAt: 0) + "\(place): \(printable(sentence))"
  }
}

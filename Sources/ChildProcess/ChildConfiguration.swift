import CChildProcess
import Foundation

/// How children of one kind are started, and what they may use.
public struct ChildConfiguration: Sendable {
  /// What they are called in sentences and logs.
  public var name: String
  /// Path of the program; by default the running one, even where its file was replaced.
  public var executable = "/proc/self/exe"
  /// Arguments that make the program such a child.
  public var arguments: [String]
  /// Variables added to the child's environment, which holds nothing else of the parent's but what the loader and the
  /// libraries need to be found.
  public var environment: [String: String] = [:]
  /// Files that a child may read beside the system's libraries: a model. One that does not exist when the child starts
  /// can't be read later.
  public var readablePaths: [String] = []
  /// The most bytes that may come beside an answer.
  public var largestAttachment: Int
  /// The most bytes of address space; 0 for no limit.
  public var addressSpaceLimit: UInt64
  /// A child whose resident memory grows beyond this many bytes is ended.
  public var residentLimit: UInt64 = 2 << 30
  /// A child that holds more than this many resident bytes between two questions is replaced.
  public var idleResidentLimit: UInt64 = 600 << 20
  /// The most seconds of processor time, over all its threads and questions, after which the kernel ends a child; nil for
  /// no limit. It is replaced between two questions once it has used half of them.
  public var processorLimit: Int?
  /// A child is replaced after this many answers, which bounds what a leak can cost.
  public var answersPerProcess: Int
  /// How long a child may take until it is ready.
  public var startDeadline: Duration = .seconds(30)
  /// The first pause after a failed start; it doubles up to `longestStartPause`.
  public var firstStartPause: Duration = .milliseconds(200)
  /// The longest pause between two failed starts.
  public var longestStartPause: Duration = .seconds(10)
  /// Added to the parent's niceness, so that it answers while all cores are busy.
  public var niceness: Int32 = 5

  /// Whether this build holds children to `addressSpaceLimit`; one with a sanitizer can't.
  package static var limitsAddressSpace: Bool { child_limits_address_space() }

  /// Creates a configuration.
  public init(
    name: String, arguments: [String], largestAttachment: Int, addressSpaceLimit: UInt64, answersPerProcess: Int
  ) {
    self.name = name
    self.arguments = arguments
    self.largestAttachment = largestAttachment
    self.addressSpaceLimit = addressSpaceLimit
    self.answersPerProcess = answersPerProcess
  }

  /// The whole environment of a child.
  var childEnvironment: [String: String] {
    // Without its backtrace a crashed Swift program is gone 200 ms earlier.
    var variables = ["SWIFT_BACKTRACE": "enable=no", "LC_ALL": "C", "MALLOC_ARENA_MAX": "2"]
    let inherited = ProcessInfo.processInfo.environment
    for name in ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS"] {
      variables[name] = inherited[name]
    }
    variables[Confinement.readablePathsVariable] = readablePaths.joined(separator: "\n")
    return variables.merging(environment) { $1 }
  }
}

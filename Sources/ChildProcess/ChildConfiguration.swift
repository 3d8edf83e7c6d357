import Foundation

/// How children of one kind are started, and their resource limits.
public struct ChildConfiguration: Sendable {
  /// The kind's name in messages and logs.
  public var name: String
  /// Path of the executable; by default the running one, even if its file was replaced.
  public var executable = "/proc/self/exe"
  /// Arguments that make the executable run as this kind of child.
  public var arguments: [String]
  /// Variables added to the child's environment. Of the parent's it inherits only those that the loader and libraries
  /// need.
  public var environment: [String: String] = [:]
  /// Maximum size in bytes of an answer's attachment.
  public var largestAttachment: Int
  /// Maximum bytes of address space; 0 for no limit.
  public var addressSpaceLimit: UInt64
  /// Resident memory in bytes above which a child is killed.
  public var residentLimit: UInt64 = 2 << 30
  /// Resident memory in bytes above which an idle child is replaced.
  public var idleResidentLimit: UInt64 = 600 << 20
  /// Maximum seconds of CPU time, over all threads and questions, after which the kernel kills a child; nil for no
  /// limit. An idle child is replaced once it has used half of it.
  public var processorLimit: Int?
  /// Number of answers after which a child is replaced, which bounds the effect of a leak.
  public var answersPerProcess: Int
  /// Maximum time until a child is ready.
  public var startDeadline: Duration = .seconds(30)
  /// Pause after the first failed start. It doubles up to `longestStartPause`.
  public var firstStartPause: Duration = .milliseconds(200)
  /// Longest pause between failed starts.
  public var longestStartPause: Duration = .seconds(10)
  /// Niceness relative to the parent's, so that the parent responds while all cores are busy.
  public var niceness: Int32 = 5

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

  /// The complete environment of a child.
  var childEnvironment: [String: String] {
    // Without a backtrace, a crashed Swift program exits 200 ms sooner.
    var variables = ["SWIFT_BACKTRACE": "enable=no", "LC_ALL": "C", "MALLOC_ARENA_MAX": "2"]
    let inherited = ProcessInfo.processInfo.environment
    for name in ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS"] {
      variables[name] = inherited[name]
    }
    return variables.merging(environment) { $1 }
  }
}

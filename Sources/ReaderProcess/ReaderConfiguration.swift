import CReaderChild
import Foundation

/// How reader processes are started and what they may use.
public struct ReaderConfiguration: Sendable {
  /// Path of the program; by default the running one, even where its file was replaced.
  public var executable = "/proc/self/exe"
  /// Arguments that make the program a reader.
  public var arguments: [String]
  /// Variables added to the reader's environment, which holds nothing else of the server's but what the loader and
  /// the libraries need to be found.
  public var environment: [String: String] = [:]
  /// Files that a reader may read beside the system's libraries: a model. One that does not exist when the reader
  /// starts can't be read later.
  public var readablePaths: [String] = []
  /// Bytes of the largest picture with the reads drawn in: 1600 pixels square, hardly compressed.
  public var largestAnnotation = 16 << 20
  /// The most bytes of address space; 0 for no limit.
  public var addressSpaceLimit: UInt64
  /// A reader whose resident memory grows beyond this many bytes while it reads is ended.
  public var residentLimit: UInt64 = 2 << 30
  /// A reader that holds more than this many resident bytes between two photos is replaced.
  public var idleResidentLimit: UInt64 = 600 << 20
  /// A reader is replaced after this many photos, which bounds what a leak can cost.
  public var photosPerProcess: Int
  /// How long a reader may take until it is ready.
  public var startDeadline: Duration = .seconds(30)
  /// A read that runs into its deadline is not tried again where the reader has computed for at least this share of it.
  public var conclusiveShare = 0.5
  /// The first pause after a failed start; it doubles up to `longestStartPause`.
  public var firstStartPause: Duration = .milliseconds(200)
  /// The longest pause between two failed starts.
  public var longestStartPause: Duration = .seconds(10)
  /// Added to the server's niceness, so that it answers while both cores read.
  public var niceness: Int32 = 5

  /// Whether this build holds readers to `addressSpaceLimit`; one with a sanitizer can't.
  public static var limitsAddressSpace: Bool { reader_limits_address_space() }

  /// Creates a configuration.
  public init(arguments: [String], addressSpaceLimit: UInt64, photosPerProcess: Int) {
    self.arguments = arguments
    self.addressSpaceLimit = addressSpaceLimit
    self.photosPerProcess = photosPerProcess
  }

  /// The whole environment of a reader.
  var childEnvironment: [String: String] {
    // Without its backtrace a crashed Swift program is gone 200 ms earlier.
    var variables = ["SWIFT_BACKTRACE": "enable=no", "LC_ALL": "C", "MALLOC_ARENA_MAX": "2"]
    let inherited = ProcessInfo.processInfo.environment
    for name in ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS"] {
      variables[name] = inherited[name]
    }
    variables[ReaderLoop.readablePathsVariable] = readablePaths.joined(separator: "\n")
    return variables.merging(environment) { $1 }
  }
}

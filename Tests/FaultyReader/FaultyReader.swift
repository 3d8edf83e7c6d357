import Foundation
import ReaderProcess
import ReaderProtocol

/// A reader for tests: what it does is in the photo's file name, what its start does in its first argument.
@main
struct FaultyReader {
  static func main() {
    ReaderLoop.run(prepare: start, read: read)
  }

  private static func start() throws {
    switch CommandLine.arguments.dropFirst().first {
    case "exits-at-start": exit(3)
    case "has-no-model": throw ReadFailure(.readerUnavailable, "The model is missing.")
    case "never-ready": sleep(1000)
    case "dies-idle":
      Thread.detachNewThread {
        usleep(100_000)
        _exit(4)
      }
    case "speaks-unasked": write(Int32(3), "\u{5}\0\0\0hello")
    default: break
    }
  }

  private static func read(_ request: ReadRequest, progress: (ReadProgress) -> Void) throws -> Reading {
    let name = URL(fileURLWithPath: request.photoPath).lastPathComponent
    switch name.prefix(while: { $0 != "." && $0 != "_" }) {
    case "crash": kill(by: SIGSEGV)
    case "trap": fatalError("told to")
    case "exit": exit(7)
    case "hang": while true { sleep(1000) }
    case "spin": while true {}
    case "eat": eatMemory()
    case "reserve": throw reserveAddressSpace()
    case "oom": _exit(90)
    case "garbage": print("libraries print to stdout"); fflush(nil)
    case "huge-frame": write(3, [0xff, 0xff, 0xff, 0x7f])
    case "no-json": write(3, "\u{5}\0\0\0hello")
    case "wrong-id":
      let lie = #"{"failure":{"id":999,"_1":{"code":"UNSUPPORTED_IMAGE","detail":"","isFinal":false}}}"#
      write(3, [UInt8(lie.utf8.count), 0, 0, 0] + Array(lie.utf8))
      usleep(200_000)
    case "close": for descriptor in Int32(0)..<64 { close(descriptor) }; while true { sleep(1000) }
    case "chatter": for _ in 0..<200_000 { print("noise on stdout, more than a pipe holds") }
    case "nan": return reading(of: "C02NAN", confidence: .nan)
    case "not-a-picture": throw ReadFailure(.notAPicture, "This is no picture.")
    case "flaky": try crashOnce(request.photoPath)
    case "empty": return reading(of: nil, confidence: 0)
    case "unsure": return reading(of: "C02G414GMD6N", confidence: 0.4, verdict: .uncertain)
    case "probe": return reading(of: probeRights(request), confidence: 1)
    case "slow": usleep(useconds_t(1000 * (Int(name.split(separator: "_").last ?? "100") ?? 100)))
    case "fork": if fork() == 0 { while true { sleep(1000) } } else { exit(5) }
    default: break
    }
    for step in 1...3 { progress(ReadProgress(fraction: Double(step) / 4, message: "step \(step)")) }
    return reading(of: "C02G414GMD6N", confidence: 0.99)
  }

  private static func kill(by signal: Int32) {
    _ = Foundation.signal(signal, SIG_DFL)
    raise(signal)
  }

  private static func eatMemory() {
    var blocks: [UnsafeMutableRawPointer] = []
    while let block = malloc(8 << 20) {
      memset(block, 1, 8 << 20)
      blocks.append(block)
      usleep(2_000)
    }
    sleep(1000)
  }

  private static func reserveAddressSpace() -> ReadFailure {
    var blocks: [UnsafeMutableRawPointer] = []
    // One byte of each is touched: the compiler leaves out what nobody uses.
    while blocks.count < 1_000_000, let block = malloc(16 << 20) {
      block.storeBytes(of: 1, as: UInt8.self)
      blocks.append(block)
    }
    return ReadFailure(.damagedPicture, "\(blocks.count * 16)")
  }

  /// Crashes on the first read of a photo and reads it the second time; a file beside the photo remembers.
  private static func crashOnce(_ photo: String) throws {
    let memory = photo + ".crashed"
    if !FileManager.default.fileExists(atPath: memory) {
      _ = FileManager.default.createFile(atPath: memory, contents: nil)
      kill(by: SIGSEGV)
    }
  }

  /// What the reader can do, as letters. As it should: r read its photo, w write in its folder. What it should not:
  /// R read and T cut off the database beside the photos' folder, D list that folder, W write there, M change a file's
  /// rights, N network, X start programs, O other descriptors open, K, S and L send its parent a signal or set its
  /// limits.
  private static func probeRights(_ request: ReadRequest) -> String {
    var letters = ""
    let photos = URL(fileURLWithPath: request.photoPath).deletingLastPathComponent()
    let data = photos.deletingLastPathComponent()
    let database = data.appendingPathComponent("serialscan.sqlite").path
    if (try? Data(contentsOf: URL(fileURLWithPath: request.photoPath)))?.isEmpty == false { letters += "r" }
    if open(database, O_RDONLY) >= 0 { letters += "R" }
    if truncate(database, 0) == 0 || open(database, O_RDONLY | O_TRUNC) >= 0 { letters += "T" }
    if opendir(data.path) != nil { letters += "D" }
    if chmod(request.photoPath, 0o666) == 0 { letters += "M" }
    if signalsParent() { letters += "S" }
    if limitsParent() { letters += "L" }
    if socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) >= 0 { letters += "N" }
    var pid: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    if posix_spawn(&pid, "/bin/true", nil, nil, &arguments, nil) == 0 { letters += "X" }
    if FileManager.default.createFile(atPath: database + ".written", contents: Data([1])) { letters += "W" }
    if let path = request.annotationPath, (try? Data([1]).write(to: URL(fileURLWithPath: path))) != nil {
      letters += "w"
    }
    // 0, 1, 2 and the pipe for answers.
    if (4..<64).contains(where: { fcntl($0, F_GETFD) >= 0 }) { letters += "O" }
    if Foundation.kill(getppid(), 0) == 0 { letters += "K" }
    return letters
  }

  /// By the calls that Swift's view of the C library leaves out.
  private static func signalsParent() -> Bool {
    typealias ThreadKill = @convention(c) (pid_t, pid_t, Int32) -> Int32
    guard let symbol = dlsym(nil, "tgkill") else { return true }
    return unsafeBitCast(symbol, to: ThreadKill.self)(getppid(), getppid(), 0) == 0
      || sigqueue(getppid(), 0, sigval(sival_int: 0)) == 0
  }

  private static func limitsParent() -> Bool {
    typealias Limits = @convention(c) (pid_t, Int32, UnsafeRawPointer?, UnsafeMutableRawPointer?) -> Int32
    guard let symbol = dlsym(nil, "prlimit") else { return true }
    let openFiles: Int32 = 7
    var limit = rlimit()
    return unsafeBitCast(symbol, to: Limits.self)(getppid(), openFiles, nil, &limit) == 0
      || setpriority(Int32(PRIO_PROCESS.rawValue), id_t(getppid()), 19) == 0
  }

  private static func write(_ descriptor: Int32, _ text: String) { write(descriptor, Array(text.utf8)) }

  private static func write(_ descriptor: Int32, _ bytes: [UInt8]) {
    _ = Foundation.write(descriptor, bytes, bytes.count)
  }

  private static func reading(of serial: String?, confidence: Double, verdict: Reading.Verdict = .accepted) -> Reading {
    let serials = serial.map {
      [SerialRead(serial: $0, confidence: confidence, method: "test", strategy: "text", isValid: true)]
    }
    return Reading(
      verdict: serial == nil ? .refused : verdict, serials: serials ?? [], preset: .etched, presetWasDetected: true,
      strategyUsed: "text", fallbackUsed: false, trace: [], notes: [], photoSize: PixelSize(width: 4, height: 3),
      processingTime: 0.01, cpuTime: 0.01)
  }
}

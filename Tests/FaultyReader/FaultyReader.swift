import Foundation
import ReaderProcess
import ReaderProtocol

/// A reader for tests: what it does is the photo, as text (`slow_300`), what its start does its first argument.
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

  private static func read(
    _ photo: [UInt8], _ request: ReadRequest, progress: (ReadProgress) -> Void
  ) throws -> ReadAnswer {
    let words = String(decoding: photo, as: UTF8.self).split(separator: "_", maxSplits: 1)
    let (deed, detail) = (words.first ?? "", String(words.dropFirst().first ?? ""))
    switch deed {
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
    case "nan": return ReadAnswer(reading(of: "C02NAN", confidence: .nan))
    case "not-a-picture": throw ReadFailure(.notAPicture, "This is no picture.")
    case "empty": return ReadAnswer(reading(of: nil, confidence: 0))
    case "echo": return ReadAnswer(reading(of: nil, confidence: 0), annotation: photo)
    case "unsure": return ReadAnswer(reading(of: "C02G414GMD6N", confidence: 0.4, verdict: .uncertain))
    case "probe": throw ReadFailure(.damagedPicture, probeRights(detail))
    case "slow": usleep(useconds_t(1000 * (Int(detail) ?? 100)))
    case "fork": if fork() == 0 { while true { sleep(1000) } } else { exit(5) }
    default: break
    }
    for step in 1...3 { progress(ReadProgress(fraction: Double(step) / 4, message: "step \(step)")) }
    return ReadAnswer(reading(of: "C02G414GMD6N", confidence: 0.99))
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

  /// What the reader can do, as letters. As it should: m read the model. What it should not: R read and T cut off the
  /// database beside it, D list that folder, W write there, M change a file's rights, N network, X start programs, O
  /// other descriptors open, K, S and L send its parent a signal or set its limits.
  private static func probeRights(_ folder: String) -> String {
    var letters = ""
    let (model, database) = (folder + "/model", folder + "/serialscan.sqlite")
    if (try? Data(contentsOf: URL(fileURLWithPath: model)))?.isEmpty == false { letters += "m" }
    if open(database, O_RDONLY) >= 0 { letters += "R" }
    if truncate(database, 0) == 0 || open(database, O_RDONLY | O_TRUNC) >= 0 { letters += "T" }
    if opendir(folder) != nil { letters += "D" }
    if chmod(model, 0o666) == 0 { letters += "M" }
    if signalsParent() { letters += "S" }
    if limitsParent() { letters += "L" }
    if socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) >= 0 { letters += "N" }
    var pid: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    if posix_spawn(&pid, "/bin/true", nil, nil, &arguments, nil) == 0 { letters += "X" }
    if FileManager.default.createFile(atPath: database + ".written", contents: Data([1])) { letters += "W" }
    if (try? Data([1]).write(to: URL(fileURLWithPath: "/tmp/" + UUID().uuidString))) != nil { letters += "W" }
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

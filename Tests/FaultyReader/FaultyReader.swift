import ChildProcess
import Foundation
import ScanModel

/// A reader for tests. The photo is a command as text (`slow_300`), and the first argument a command for its start.
@main
struct FaultyReader {
  static func main() {
    if CommandLine.arguments.dropFirst().first == "tracker" { FaultyTracker.run() }
    ReaderLoop.run(prepare: start) { _, photo, request, progress in
      try read(photo, request, progress: progress)
    }
  }

  private static func start(_ settings: ReaderSettings) throws {
    switch CommandLine.arguments.dropFirst().first {
    case "exits-at-start": exit(3)
    case "has-no-model": throw ReadFailure(.readerUnavailable, "The model is missing.")
    case "never-ready": sleep(1000)
    case "dies-idle":
      Thread.detachNewThread {
        usleep(100_000)
        _exit(4)
      }
    case "speaks-unasked": write(3, [5, 0, 0, 0, 0, 0, 0, 0] + Array("hello".utf8))
    case "tells-settings":
      throw ReadFailure(.readerUnavailable, "\(settings.accept) \(settings.refuse) \(settings.fields.rawValue)")
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
    case "say": say(photo)
    case "flood": while true { progress(ReadProgress(fraction: 0.5, message: "still reading")) }
    case "dribble": for _ in 0..<1_000_000 { progress(ReadProgress(fraction: 0.5, message: "slowly")); usleep(20_000) }
    case "close": for descriptor in Int32(0)..<64 { close(descriptor) }; while true { sleep(1000) }
    case "chatter": for _ in 0..<200_000 { print("noise on stdout, more than a pipe holds") }
    case "nan": return ReadAnswer(reading(of: "C02NAN", confidence: .nan))
    case "full-disk": throw POSIXError(.ENOSPC)
    case "not-a-picture": throw ReadFailure(.notAPicture, "This is not a picture.")
    case "empty": return ReadAnswer(reading(of: nil, confidence: 0))
    case "echo":
      return ReadAnswer(
        reading(of: nil, confidence: 0), annotation: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + photo)
    case "unsure": return ReadAnswer(reading(of: "C02G414GMD6N", confidence: 0.4, verdict: .uncertain))
    case "probe": throw ReadFailure(.damagedPicture, probeRights(detail))
    case "slow": usleep(useconds_t(1000 * (Int(detail) ?? 100)))
    case "burn": burn(seconds: (Double(detail) ?? 100) / 1000)
    case "moonlight": Thread.detachNewThread { while true {} }
    case "abort": abort()
    default: break
    }
    for step in 1...3 { progress(ReadProgress(fraction: Double(step) / 4, message: "step \(step)")) }
    return ReadAnswer(reading(of: "C02G414GMD6N", confidence: 0.99))
  }

  /// Writes the bytes after `say_exit_` or `say_on_` to the server unchanged, and exits or continues.
  static func say(_ photo: [UInt8]) {
    let parts = photo.split(separator: UInt8(ascii: "_"), maxSplits: 2, omittingEmptySubsequences: false)
    write(3, Array(parts[2]))
    if parts[1].elementsEqual("exit".utf8) { _exit(0) }
    sleep(1000)
  }

  private static func kill(by signal: Int32) {
    _ = Foundation.signal(signal, SIG_DFL)
    raise(signal)
  }

  /// Uses the processor for this time.
  private static func burn(seconds: Double) {
    let end = clock() + Int(seconds * Double(CLOCKS_PER_SEC))
    while clock() < end {}
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
    // One byte of each is written: the compiler omits unused memory.
    while blocks.count < 1_000_000, let block = malloc(16 << 20) {
      block.storeBytes(of: 1, as: UInt8.self)
      blocks.append(block)
    }
    return ReadFailure(.damagedPicture, "\(blocks.count * 16)")
  }

  /// The rights of the reader, as letters. Needed: t start a thread. Not needed: R read and
  /// T truncate the database beside it, D list that folder, W write there, M change a file's rights, N network, X
  /// start programs, F copies of itself or V by the bare call, G leave its process group, P outlive its parent, C make
  /// code, I make a file in memory, O other descriptors open, K, S and L send its parent a signal or set limits.
  private static func probeRights(_ detail: String) -> String {
    var letters = ""
    let words = detail.split(separator: ":", maxSplits: 1)
    let (parent, folder) = (pid_t(words[0]) ?? 0, String(words[1]))
    let database = folder + "/serialscan.sqlite"
    if open(database, O_RDONLY) >= 0 { letters += "R" }
    if truncate(database, 0) == 0 || open(database, O_RDONLY | O_TRUNC) >= 0 { letters += "T" }
    if opendir(folder) != nil { letters += "D" }
    if chmod(database, 0o666) == 0 { letters += "M" }
    if signals(parent) { letters += "S" }
    if limits(parent) { letters += "L" }
    if socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) >= 0 { letters += "N" }
    var pid: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
    if posix_spawn(&pid, "/bin/true", nil, nil, &arguments, nil) == 0 { letters += "X" }
    if FileManager.default.createFile(atPath: database + ".written", contents: Data([1])) { letters += "W" }
    if (try? Data([1]).write(to: URL(fileURLWithPath: "/tmp/" + UUID().uuidString))) != nil { letters += "W" }
    // 0, 1, 2 and the pipe for answers.
    if (4..<64).contains(where: { fcntl($0, F_GETFD) >= 0 }) { letters += "O" }
    if Foundation.kill(parent, 0) == 0 { letters += "K" }
    if startsThread() { letters += "t" }
    return letters + lettersOfProcesses(parent)
  }

  private static func lettersOfProcesses(_ parent: pid_t) -> String {
    var letters = ""
    let copy = fork()
    if copy == 0 { _exit(0) }
    if copy > 0 { letters += "F" }
    if setsid() >= 0 || setpgid(0, parent) == 0 { letters += "G" }
    let code = mmap(nil, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    if code != MAP_FAILED { letters += "C" }
    let pages = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    if mprotect(pages, 4096, PROT_READ | PROT_EXEC) == 0 { letters += "C" }
    typealias Control = @convention(c) (Int32, UInt) -> Int32
    let parentDeathSignal: Int32 = 1
    if let symbol = dlsym(nil, "prctl"), unsafeBitCast(symbol, to: Control.self)(parentDeathSignal, 0) == 0 {
      letters += "P"
    }
    typealias MemoryFile = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
    if let symbol = dlsym(nil, "memfd_create"), unsafeBitCast(symbol, to: MemoryFile.self)("made", 0) >= 0 {
      letters += "I"
    }
    typealias Call = @convention(c) (Int, Int, Int, Int, Int, Int) -> Int
    #if arch(x86_64)
      let clone = 56
    #else
      let clone = 220
    #endif
    if let symbol = dlsym(nil, "syscall") {
      let made = unsafeBitCast(symbol, to: Call.self)(clone, Int(SIGCHLD), 0, 0, 0, 0)
      if made == 0 { _exit(0) }
      if made > 0 { letters += "V" }
    }
    return letters
  }

  private static func startsThread() -> Bool {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread { done.signal() }
    return done.wait(timeout: .now() + 5) == .success
  }

  /// System calls that Swift's import of the C library omits.
  private static func signals(_ parent: pid_t) -> Bool {
    typealias ThreadKill = @convention(c) (pid_t, pid_t, Int32) -> Int32
    guard let symbol = dlsym(nil, "tgkill") else { return true }
    return unsafeBitCast(symbol, to: ThreadKill.self)(parent, parent, 0) == 0
      || sigqueue(parent, 0, sigval(sival_int: 0)) == 0 || fcntl(3, F_SETOWN, parent) == 0
  }

  private static func limits(_ parent: pid_t) -> Bool {
    typealias Limits = @convention(c) (pid_t, Int32, UnsafeRawPointer?, UnsafeMutableRawPointer?) -> Int32
    guard let symbol = dlsym(nil, "prlimit") else { return true }
    let openFiles: Int32 = 7
    var limit = rlimit()
    return unsafeBitCast(symbol, to: Limits.self)(parent, openFiles, nil, &limit) == 0
      || setpriority(Int32(PRIO_PROCESS.rawValue), id_t(parent), 19) == 0
      || unsafeBitCast(symbol, to: Limits.self)(0, openFiles, &limit, nil) == 0
  }

  private static func write(_ descriptor: Int32, _ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if written <= 0 { return }
      rest = rest.dropFirst(written)
    }
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

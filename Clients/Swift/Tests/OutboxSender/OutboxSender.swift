import Foundation
import SerialScanClient

/// Adds photos to an outbox and sends them, then prints `done`: `OutboxSender ADDRESS FOLDER PREFIX PHOTO...`.
///
/// A photo's id is derived from its number, so that a run after a kill adds the same photos. OUTBOX_KILL=step:n kills the
/// process with SIGKILL when it reaches that step for the nth time. `--scan` instead of a folder sends the first photo
/// without an outbox and prints the peak memory of the process in kilobytes.
@main struct OutboxSender {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 4, let url = URL(string: arguments[1]) else { exit(2) }
    let client = SerialScanClient(
      baseURL: url, deadlines: Deadlines(step: .seconds(5), upload: .seconds(5), whole: .seconds(20)))
    if arguments[2] == "--scan" {
      let before = peakMemory()
      let patient = SerialScanClient(baseURL: url)
      _ = try await patient.scan(image: .file(URL(fileURLWithPath: arguments[4])))
      print(before, peakMemory())
      return
    }
    let killer = Killer(ProcessInfo.processInfo.environment["OUTBOX_KILL"])
    let outbox = try Outbox(
      folder: URL(fileURLWithPath: arguments[2]), client: client,
      retries: RetryPolicy(firstPause: .milliseconds(10), longestPause: .milliseconds(100)),
      reached: { killer.reached($0) })
    await outbox.start()
    for (number, photo) in arguments.dropFirst(4).enumerated() {
      try await outbox.add(
        image: .file(URL(fileURLWithPath: photo), filename: "\(arguments[3])-\(number).jpg"),
        id: id(arguments[3], number))
    }
    for await items in await outbox.updates() {
      if let refused = items.first(where: { if case .refused = $0.state { true } else { false } }) {
        print("refused", refused.state)
        exit(3)
      }
      if items.allSatisfy(\.isSent) { break }
    }
    await outbox.stop()
    for item in await outbox.photos { try await outbox.remove(item.id) }
    print("done")
  }

  private static func id(_ prefix: String, _ number: Int) -> UUID {
    let hash = "\(prefix)-\(number)".utf8.reduce(1_469_598_103 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_627_689 }
    let padded = String((String(repeating: "0", count: 12) + String(hash, radix: 16)).suffix(12))
    return UUID(uuidString: "00000000-0000-4000-8000-\(padded)") ?? UUID()
  }

  /// VmHWM of /proc/self/status.
  private static func peakMemory() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}

/// Ends the process at a step.
final class Killer: @unchecked Sendable {
  private let lock = NSLock()
  private let step: OutboxStep?
  private var remaining: Int

  init(_ text: String?) {
    let parts = (text ?? "").split(separator: ":").map(String.init)
    step = parts.first.flatMap(OutboxStep.init(rawValue:))
    remaining = parts.count > 1 ? Int(parts[1]) ?? 1 : 1
  }

  func reached(_ reached: OutboxStep) {
    lock.lock()
    defer { lock.unlock() }
    guard reached == step else { return }
    remaining -= 1
    if remaining == 0 { kill(getpid(), SIGKILL) }
  }
}

import Foundation
import Testing

/// Messages to a service manager such as `systemd` over `NOTIFY_SOCKET`.
@Suite(.serialized) struct ServiceManagerTests {
  /// A service manager that listens on a socket.
  private final class Listener {
    let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)

    init(_ name: String) throws {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(name.utf8).map { $0 == UInt8(ascii: "@") ? 0 : $0 }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let size = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path)! + bytes.count)
      let outcome = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
      }
      try #require(outcome == 0)
      var limit = timeval(tv_sec: 30, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Waits for the next message.
    func next() -> String? {
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
  }

  @Test(arguments: [true, false])
  func notifiesServiceManagerOfStartAndStop(isAbstract: Bool) throws {
    let folder = RunningServer.freshFolder()
    let name = isAbstract ? "@serialscan-\(UUID().uuidString)" : folder.appendingPathComponent("notify").path
    let manager = try Listener(name)
    let server = try RunningServer(environment: ["NOTIFY_SOCKET": name])
    #expect(manager.next() == "READY=1")
    #expect(server.stop() == 0)
    #expect(manager.next() == "STOPPING=1")
  }

  @Test(arguments: ["", "nowhere", "/nowhere/notify", "@" + String(repeating: "n", count: 200)])
  func doesNotWaitForMissingServiceManager(name: String) throws {
    let server = try RunningServer(environment: ["NOTIFY_SOCKET": name])
    #expect(server.stop() == 0)
  }
}

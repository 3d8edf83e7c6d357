import Foundation

/// The service manager that started the program, such as systemd. Notified (`sd_notify(3)`) when the server is ready
/// and when it stops, so that dependent services can wait for it.
struct ServiceManager {
  /// The states reported to the manager.
  enum State: String {
    /// The server accepts requests.
    case ready = "READY=1"
    /// The server accepts no new requests.
    case stopping = "STOPPING=1"
  }

  /// The manager's socket: a path, or `@` and the name of an abstract socket.
  private let socket: String

  /// Creates the manager; nil if no manager asked for notifications.
  init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
    guard let socket = environment["NOTIFY_SOCKET"], socket.hasPrefix("/") || socket.hasPrefix("@") else { return nil }
    self.socket = socket
  }

  /// Sends one datagram. Does not wait for a manager that is gone.
  func tell(_ state: State) {
    guard let (address, size) = address else { return }
    let descriptor = Glibc.socket(AF_UNIX, CInt(clamping: SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let message = Array(state.rawValue.utf8)
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(descriptor, message, message.count, CInt(clamping: MSG_NOSIGNAL | MSG_DONTWAIT), $0, size)
      }
    }
  }

  /// The socket's address; nil if its name is too long.
  private var address: (sockaddr_un, socklen_t)? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(socket.utf8)
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    // An abstract name begins with a zero byte and is not NUL-terminated; its length delimits it.
    let isAbstract = name[0] == UInt8(ascii: "@")
    if isAbstract { name[0] = 0 } else { name.append(0) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let size = MemoryLayout.offset(of: \sockaddr_un.sun_path).flatMap { socklen_t(exactly: $0 + name.count) }
    return size.map { (address, $0) }
  }
}

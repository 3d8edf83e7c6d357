import Foundation

/// The service manager that started the program, such as systemd: it is told when the server serves and when it stops
/// (`sd_notify(3)`), so that what depends on the server waits for it.
struct ServiceManager {
  /// What it can be told.
  enum State: String {
    /// Requests are answered from now on.
    case ready = "READY=1"
    /// No new requests are taken.
    case stopping = "STOPPING=1"
  }

  /// The manager's socket: a path, or `@` and a name that no file system has.
  private let socket: String

  /// Nil where nobody wants to be told.
  init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
    guard let socket = environment["NOTIFY_SOCKET"], socket.hasPrefix("/") || socket.hasPrefix("@") else { return nil }
    self.socket = socket
  }

  /// Sends one datagram. A manager that is not there is not waited for.
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

  /// The socket's address; nil where its name is longer than one can be.
  private var address: (sockaddr_un, socklen_t)? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(socket.utf8)
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    // An abstract name begins with a zero and has no end but its length.
    let isAbstract = name[0] == UInt8(ascii: "@")
    if isAbstract { name[0] = 0 } else { name.append(0) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let size = MemoryLayout.offset(of: \sockaddr_un.sun_path).flatMap { socklen_t(exactly: $0 + name.count) }
    return size.map { (address, $0) }
  }
}

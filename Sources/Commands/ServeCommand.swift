import ArgumentParser
import Foundation
import HTTPAPI
import JobRunner
import JobStore
import Logging
import NIOCore
import Settings
import Support

/// `serialscan serve`: runs the server.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve the page and the HTTP API.",
    discussion: """
      SIGTERM or SIGINT stops it after the photos being read are finished; a second signal stops it immediately.

      Examples:
        serialscan serve
        serialscan serve --host 127.0.0.1 --port 8080 --data /var/lib/serialscan
        serialscan serve --config serialscan.yaml --set queue.max_waiting=500
      """)

  @OptionGroup var options: ServerOptions

  private static let hostAdvice =
    "set host (--host) to 0.0.0.0 for every interface, 127.0.0.1 for this machine only, or one of its addresses"

  func run() async throws {
    let settings = try options.load()
    LogFormat.bootstrap(settings.log)
    let logger = Logger(label: "serialscan")
    settings.warnings.forEach { logger.warning("\($0)") }
    let server: Server
    do {
      server = try Server(settings: settings, logger: logger)
    } catch let error as StoreOpenError {
      throw CleanExit.failure(error.description)
    }
    do {
      try await server.run()
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      throw CleanExit.failure(
        "port \(settings.port) is in use; stop the other program, or choose another port with --port")
    } catch let error as IOError where error.errnoCode == EACCES {
      throw CleanExit.failure("not allowed to listen on port \(settings.port); choose one above 1023 with --port")
    } catch is SocketAddressError.UnknownHost {
      throw CleanExit.failure(
        "\(settings.host) is neither an IP address nor a host name that can be found; " + Self.hostAdvice)
    } catch let error as IOError where [EADDRNOTAVAIL, EAFNOSUPPORT, EINVAL].contains(error.errnoCode) {
      throw CleanExit.failure("\(settings.host) is not an address of this machine; " + Self.hostAdvice)
    }
  }
}

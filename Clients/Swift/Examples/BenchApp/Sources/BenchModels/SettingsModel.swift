import Foundation
import Observation
import SerialScanClient

/// The server's address and key, checked before they are used.
@MainActor @Observable public final class SettingsModel {
  /// The result of the last check.
  public enum Check: Sendable, Equatable {
    /// No check was made yet.
    case none
    /// The check is in progress.
    case running
    /// The server responds.
    case connected(version: String)
    /// The check failed, for this reason.
    case failed(String)
  }

  /// The device types that the app offers, as in `/config` of docs/api.md.
  public static let deviceTypes = ["MacBook", "iMac", "Mac Mini", "iPhone", "iPad", "Apple Watch", "Accessory"]

  /// The server's address as typed.
  public var address: String
  /// The API key; empty if the server requires none.
  public var key: String
  /// The device type of the next photos; nil if unknown.
  public var deviceType: String?
  /// The result of the last check.
  public private(set) var check = Check.none

  /// Creates settings.
  public init(address: String = "http://localhost:8000", key: String = "") {
    (self.address, self.key) = (address, key)
  }

  /// The address as a URL; nil unless it begins with http:// or https:// and has a host.
  public var url: URL? {
    guard let url = URL(string: address.trimmingCharacters(in: .whitespaces)), ["http", "https"].contains(url.scheme),
      url.host?.isEmpty == false
    else { return nil }
    return url
  }

  /// A client with these settings; nil without a valid address.
  public var client: SerialScanClient? {
    url.map { SerialScanClient(baseURL: $0, apiKey: key.isEmpty ? nil : key) }
  }

  /// Checks the server's health, and whether it accepts the key.
  public func connect() async {
    guard let client else {
      check = .failed("Enter the server's address, such as https://scanner.example.")
      return
    }
    await connect(client) { _ = try await client.presets() }
  }

  func connect(_ server: any BenchServer, checkKey: () async throws -> Void) async {
    check = .running
    do {
      let health = try await server.health()
      try await checkKey()
      check = health.isHealthy ? .connected(version: health.version) : .failed("The server reports a problem.")
    } catch {
      let suggestion = (error as? SerialScanError)?.recoverySuggestion
      check = .failed([error.localizedDescription, suggestion].compactMap { $0 }.joined(separator: " "))
    }
  }
}

import Foundation
import PostgresClient
import TestCluster
import Testing

/// TLS between the program and PostgreSQL, by libpq's own settings in the address.
@Suite(.serialized, .enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES")) struct EncryptedStoreTests {
  /// A certificate authority and a certificate for `localhost` that it signed, made with openssl.
  private struct Authority {
    let folder = RunningServer.freshFolder()
    var certificate: String { folder.path + "/authority.crt" }

    init() throws {
      try run(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
        "/CN=Authority \(folder.lastPathComponent)", "-keyout", "authority.key", "-out", "authority.crt")
    }

    func signServer() throws {
      try run(
        "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost",
        "-keyout", "server.key", "-out", "server.csr")
      try run(
        "x509", "-req", "-days", "2", "-in", "server.csr", "-CA", "authority.crt", "-CAkey", "authority.key",
        "-CAcreateserial", "-out", "server.crt")
    }

    private func run(_ arguments: String...) throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["openssl"] + arguments
      process.currentDirectoryURL = folder
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      try #require(process.terminationStatus == 0)
    }
  }

  /// Turns TLS on in the cluster, with this certificate, while `body` runs.
  private static func withEncryption(by authority: Authority, _ body: () async throws -> Void) async throws {
    let data = try #require(ProcessInfo.processInfo.environment["SERIALSCAN_TEST_POSTGRES_DATA"])
    let cluster = try PostgresConnection(to: PostgresAddress(#require(TestCluster.address)))
    let owner = try FileManager.default.attributesOfItem(atPath: data)[.ownerAccountName] as? String
    for name in ["server.key", "server.crt"] {
      let place = "\(data)/\(name)"
      try FileManager.default.copyItem(atPath: authority.folder.appendingPathComponent(name).path, toPath: place)
      let owned: [FileAttributeKey: Any] = [.posixPermissions: 0o600, .ownerAccountName: try #require(owner)]
      try FileManager.default.setAttributes(owned, ofItemAtPath: place)
    }
    func turn(_ state: String) throws {
      try cluster.run("ALTER SYSTEM SET ssl = \(state)")
      try cluster.run("SELECT pg_reload_conf()")
    }
    try turn("on")
    do { try await body() } catch {
      try turn("off")
      throw error
    }
    try turn("off")
    for name in ["server.key", "server.crt"] { try FileManager.default.removeItem(atPath: "\(data)/\(name)") }
  }

  @Test func verifiesCertificateAndRejectsWrongAuthority() async throws {
    try await SharedDatabase.with { database in
      let (authority, other) = (try Authority(), try Authority())
      try authority.signServer()
      try await Self.withEncryption(by: authority) {
        let named = database.address.replacing("127.0.0.1", with: "localhost")
        func address(_ root: Authority) -> String { "\(named)?sslmode=verify-full&sslrootcert=\(root.certificate)" }
        let encrypts = try await CrashTests.eventually {
          (try? PostgresConnection(to: PostgresAddress(address(authority)))) != nil
        }
        try #require(encrypts)
        let server = try RunningServer(store: address(authority), settings: ["workers=1"])
        #expect(try await server.scan(BadInputTests.picture()).json["status"] as? String == "completed")
        let plain =
          "SELECT count(*) AS n FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
          + "WHERE datname = current_database() AND NOT ssl AND application_name = 'serialscan' "
          + "AND pid <> pg_backend_pid()"
        #expect(try database.number(plain) == 0)
        let refused = try RunningServer.run(["keys", "list", "--store", address(other)])
        #expect(refused.status == 1 && refused.errors.contains("can't be reached"), "\(refused.errors)")
        #expect(refused.errors.contains("certificate verify failed"), "\(refused.errors)")
        let unnamed = address(authority).replacing("localhost", with: "127.0.0.1")
        let wrong = try RunningServer.run(["keys", "list", "--store", unnamed])
        #expect(wrong.status == 1 && wrong.errors.contains("does not match host name"), "\(wrong.errors)")
      }
    }
  }
}

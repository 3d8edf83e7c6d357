import ArgumentParser
import Foundation
import HTTPAPI
import JobStore
import Support

/// `serialscan keys`: manages the API keys. While no keys exist, anyone who can reach the server can use it.
struct KeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Add, list and revoke API keys.",
    discussion: """
      While no key exists, anyone who can reach the server can use it. Changes take effect immediately. `keys add \
      NAME --scopes admin` creates a missing database, so that a server requires a key from its first start.

      Examples:
        serialscan keys add office --scopes admin
        serialscan keys add bench-1
        serialscan keys list
        serialscan keys revoke bench-1
      """,
    subcommands: [Add.self, List.self, Revoke.self, Clear.self])

  /// Creates a key and shows it once.
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Create a key and show it once.")

    @Argument(help: "A name for the key.")
    var name: String

    @Option(
      help:
        "Permissions, separated by commas: scan (send photos, see its own), read (see and export all), admin (everything)."
    )
    var scopes = "scan,read"

    @OptionGroup var options: StoreOptions

    func run() async throws {
      let names = scopes.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      let known = AccessKey.Scope.allCases.map(\.rawValue)
      guard !names.isEmpty, names.allSatisfy({ known.contains($0) }) else {
        throw ValidationError(
          "--scopes must be a comma-separated list of \(known.joined(separator: ", ")) (got \"\(printable(scopes))\")")
      }
      guard let name = AccessKey.name(name) else {
        throw ValidationError("the name must be 1 to 100 characters, without control characters")
      }
      // A missing database is created only with a key that can be its first.
      try await options.changeStore(makesMissing: names.contains("admin")) { store in
        // If the first key were not an admin key, nobody could manage the keys over HTTP.
        let isFirst = try await store.keys(includingRevoked: true).isEmpty
        guard !isFirst || names.contains("admin") else {
          throw CleanExit.failure(
            "the first key must have the scope admin, since the server then requires a key: "
              + "serialscan keys add \(name) --scopes admin")
        }
        let key = AccessKey()
        do {
          _ = try await store.addKey(
            id: key.id, name: name, hash: AccessKey.hash(ofSecret: key.secret), scopes: names)
        } catch KeyError.nameTaken(let name) {
          throw CleanExit.failure("a key named \(name) already exists; revoke it first, or choose another name")
        }
        do throws(StandardOutput.Problem) {
          try StandardOutput.shared.print(key.text)
        } catch {
          // Nobody has seen the key, so nobody can use it or would ever revoke it.
          _ = try await store.revokeKey(key.id)
          StandardError.shared.write("serialscan: the key was revoked, because it could not be shown\n")
          throw error
        }
      }
      StandardError.shared.write(
        "The key is shown only once. Send it as \"Authorization: Bearer KEY\". Scopes: "
          + "\(names.joined(separator: ", ")).\n")
    }
  }

  /// Lists the keys, without their secrets.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the keys and how often they were used.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
      let keys = try await options.openStore().keys(includingRevoked: true)
      if keys.isEmpty {
        return try StandardOutput.shared.print("No API keys exist, so anyone who can reach the server can use it.")
      }
      for key in keys {
        let state = key.revokedAt.map { "revoked \($0.formatted(.iso8601))" } ?? key.scopes.joined(separator: ",")
        let last = key.lastUsedAt.map { "last \($0.formatted(.iso8601))" } ?? "never used"
        try StandardOutput.shared.print(
          "\(key.id)  \(printable(key.name))  \(state)  used \(counted(key.useCount, "time")), \(last)")
      }
    }
  }

  /// Revokes a key.
  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Revoke a key immediately.")

    @Argument(help: "The key's name or id.", transform: notEmpty)
    var key: String

    @OptionGroup var options: StoreOptions

    func run() async throws {
      try await options.changeStore { store in
        guard let revoked = try await store.revokeKey(key) else {
          throw CleanExit.failure("there is no valid key named \(key); `serialscan keys list` shows them")
        }
        try StandardOutput.shared.print("revoked \(printable(revoked.name))")
        let left = try await store.keys(includingRevoked: false)
        if let other = left.first(where: { $0.name == key }) {
          try StandardOutput.shared.print(
            "\(printable(key)) is the id of the revoked key, and also the name of another one, which is still valid: "
              + "`serialscan keys revoke \(other.id)` revokes that.")
        }
        if left.isEmpty {
          try StandardOutput.shared.print(
            "No valid key is left: the server rejects everyone until `serialscan keys add` creates a key, or `serialscan "
              + "keys clear` opens it to everyone.")
        }
      }
    }
  }

  /// Removes all keys, so that the server is open again.
  struct Clear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete all keys: anyone who can reach the server can use it again.")

    @Flag(help: "Delete them. Without this flag, the command only shows what it would do.")
    var yes = false

    @OptionGroup var options: StoreOptions

    func run() async throws {
      try await options.changeStore { store in
        guard yes else {
          let count = try await store.keys(includingRevoked: true).count
          throw CleanExit.failure(
            "this deletes \(counted(count, "key")), after which anyone who can reach the server can use it; add --yes to confirm"
          )
        }
        let removed = try await store.removeAllKeys()
        try StandardOutput.shared.print(
          "deleted \(counted(removed, "key")): anyone who can reach the server can use it")
      }
    }
  }
}

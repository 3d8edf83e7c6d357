import ArgumentParser
import Foundation
import HTTPAPI
import JobStore
import Support

/// `serialscan keys`: the keys that open a server; without any it is open to all.
struct KeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Add, list and revoke the keys of a server.",
    discussion: """
      Without any key a server is open to everybody who reaches it. What is changed here counts at once.

      Examples:
        serialscan keys add office --scopes admin
        serialscan keys add bench-1
        serialscan keys list
        serialscan keys revoke bench-1
      """,
    subcommands: [Add.self, List.self, Revoke.self, Clear.self])

  /// Makes a key and shows it, once.
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Make a key and show it, once.")

    @Argument(help: "Whose key it is, for people.")
    var name: String

    @Option(
      help: "What it may be used for: scan (send, see its own), read (see and export all), admin (all), by commas.")
    var scopes = "scan,read"

    @OptionGroup var options: StoreOptions

    func run() async throws {
      let names = scopes.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      let known = AccessKey.Scope.allCases.map(\.rawValue)
      guard !names.isEmpty, names.allSatisfy({ known.contains($0) }) else {
        throw ValidationError(
          "--scopes wants \(known.joined(separator: ", ")), separated by commas, not \"\(printable(scopes))\"")
      }
      let store = try options.openStore()
      // Whoever closes an open server with a key that is not admin's would lock everybody out of its keys.
      let isFirst = try await store.keys(includingRevoked: true).isEmpty
      guard !isFirst || names.contains("admin") else {
        throw CleanExit.stop(
          "the first key closes the server to everybody without one and must have the scope admin: "
            + "serialscan keys add \(name) --scopes admin")
      }
      let key = AccessKey()
      do {
        _ = try await store.addKey(
          id: key.id, name: name, hash: AccessKey.hash(ofSecret: key.secret), scopes: names)
      } catch KeyError.nameTaken(let name) {
        throw CleanExit.stop("there is a key named \(name) already; revoke it first, or take another name")
      }
      print(key.text)
      StandardError.shared.write(
        "This is shown once. Send it as \"Authorization: Bearer KEY\". May: \(names.joined(separator: ", ")).\n")
    }
  }

  /// Lists the keys, without their secrets.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the keys and how often they were used.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
      let keys = try await options.openStore().keys(includingRevoked: true)
      if keys.isEmpty { return print("There is no key: the server is open to everybody who reaches it.") }
      for key in keys {
        let state = key.revokedAt.map { "revoked \($0.formatted(.iso8601))" } ?? key.scopes.joined(separator: ",")
        let last = key.lastUsedAt.map { "last \($0.formatted(.iso8601))" } ?? "never used"
        print("\(key.id)  \(printable(key.name))  \(state)  used \(key.useCount) times, \(last)")
      }
    }
  }

  /// Takes a key's validity.
  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Make a key invalid at once.")

    @Argument(help: "The key's name or id.")
    var key: String

    @OptionGroup var options: StoreOptions

    func run() async throws {
      let store = try options.openStore()
      guard let revoked = try await store.revokeKey(key) else {
        throw CleanExit.stop("there is no valid key named \(key); `serialscan keys list` shows them")
      }
      print("revoked \(printable(revoked.name))")
      if try await store.keys(includingRevoked: false).isEmpty {
        print(
          "No valid key is left: the server lets nobody in until `serialscan keys add` makes another, or `serialscan "
            + "keys clear` opens it to everybody.")
      }
    }
  }

  /// Opens a server again.
  struct Clear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Take all keys away: the server is open to everybody who reaches it, as before the first one.")

    @Flag(help: "Do it; without this the command only says what it would do.")
    var yes = false

    @OptionGroup var options: StoreOptions

    func run() async throws {
      let store = try options.openStore()
      guard yes else {
        let count = try await store.keys(includingRevoked: true).count
        throw CleanExit.stop(
          "this takes \(Self.keys(count)) away and opens the server to everybody who reaches it; add --yes to do it")
      }
      let removed = try await store.removeAllKeys()
      print("took \(Self.keys(removed)) away: the server is open to everybody who reaches it")
    }

    private static func keys(_ count: Int) -> String { count == 1 ? "1 key" : "\(count) keys" }
  }
}

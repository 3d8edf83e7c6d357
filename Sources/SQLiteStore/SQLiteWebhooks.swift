import SQLStore

extension SQLiteJobStore: SQLWebhookStore {
  /// Only one process is the server of a database, so on a server every other holder is gone.
  package var webhookIsAbandoned: SQLStatement {
    options.isServer ? "holder IS NOT NULL AND holder <> \(holder)" : "FALSE"
  }
}

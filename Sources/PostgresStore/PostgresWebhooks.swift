import SQLStore

extension PostgresStore: SQLWebhookStore {
  /// Holders without heartbeats are gone. An instance with gaps in its own heartbeats does not judge others.
  package var webhookIsAbandoned: SQLStatement {
    let silence = Self.silence.microseconds
    return """
      holder IS NOT NULL AND holder <> \(holder)
        AND NOT EXISTS (
          SELECT 1 FROM servers WHERE servers.id = webhooks.holder AND beat_at >= store_now() - \(silence))
        AND EXISTS (
          SELECT 1 FROM servers
          WHERE id = \(holder) AND since < store_now() - \(silence) AND beat_at >= store_now() - \(silence))
      """
  }
}

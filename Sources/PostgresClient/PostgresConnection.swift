import CPostgres
import Foundation
import Glibc

/// A connection, used by one thread at a time. Every wait has a timeout; a statement that exceeds it closes the
/// connection.
package final class PostgresConnection {
  /// The clock of deadlines, which also advances while the machine sleeps.
  typealias Instant = ContinuousClock.Instant

  /// Default parameters, which the address can override. A dead peer is detected within 30 seconds.
  private static let defaults: [(String, String)] = [
    ("fallback_application_name", "serialscan"), ("client_encoding", "UTF8"), ("keepalives", "1"),
    ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"), ("tcp_user_timeout", "20000"),
  ]

  private let handle: OpaquePointer
  private let times: PostgresTimes
  private var prepared: Set<String> = []
  /// Whether statements are prepared by name: not behind a pooler, nor once an error has revealed one.
  private(set) var preparesByName: Bool
  /// Whether a change has been sent that may be committed before its result arrives.
  private var isOutcomeOpen = false

  /// Connects. Throws `PostgresError.connectionFailed`.
  package init(to address: PostgresAddress, times: PostgresTimes = PostgresTimes()) throws(PostgresError) {
    self.times = times
    preparesByName = !address.isPooled
    handle = try Self.connect(to: address, within: times.connect)
    do throws(PostgresError) {
      PQsetnonblocking(handle, 1)
      PQsetNoticeProcessor(handle, { _, _ in }, nil)
      try address.isPooled ? requireDurable() : makeDurable()
    } catch {
      throw .connectionFailed(error.sentence)
    }
  }

  deinit { PQfinish(handle) }

  /// Disconnects, from any thread, while another one waits for a statement's result: the statement fails, and the server
  /// ends it.
  func hangUp() { shutdown(PQsocket(handle), Int32(SHUT_RDWR)) }

  /// Whether the connection is usable: neither the peer's messages nor its disconnection have ended it.
  package var isUsable: Bool {
    guard PQstatus(handle) == CONNECTION_OK else { return false }
    var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    // A server that ends a connection sends a message before closing it, so read everything available.
    while poll(&descriptor, 1, 0) > 0 {
      guard PQconsumeInput(handle) == 1 else { return false }
    }
    return PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE
  }

  /// Waits up to `duration` for notifications and returns those received, as channel and payload.
  package func notifications(waiting duration: Duration) throws(PostgresError) -> [(channel: String, payload: String)] {
    var found = takeNotifications()
    if found.isEmpty {
      _ = try wait(for: POLLIN, until: .now + duration)
      guard PQconsumeInput(handle) == 1 else { throw lost() }
      found = takeNotifications()
    }
    return found
  }

  /// Runs one statement with parameters and returns its result.
  ///
  /// - Parameters:
  ///   - sql: The statement, with parameters `$1`, `$2`, ...
  ///   - parameters: The parameters' values.
  ///   - changes: Whether it changes something outside a transaction, so that losing its result makes the outcome
  ///     unknown.
  ///   - inBinary: Whether values are returned in binary format, for columns of bytes.
  ///   - isReused: Whether the connection keeps it prepared for the next time.
  @discardableResult
  package func run(
    _ sql: String, _ parameters: [PostgresValue] = [], changes: Bool = false, inBinary: Bool = false,
    isReused: Bool = true
  ) throws(PostgresError) -> PostgresResult {
    isOutcomeOpen = changes
    defer { isOutcomeOpen = false }
    let deadline = Instant.now + times.statement
    do throws(PostgresError) {
      return try ask(sql, parameters, inBinary: inBinary, isReused: isReused, until: deadline)
    } catch {
      guard case .refused(let refusal) = error, preparesByName, refusal.isOfPreparedStatements else { throw error }
      // The statement was not run. Inside a transaction, the whole transaction is undone.
      preparesByName = false
      prepared = []
      guard PQtransactionStatus(handle) == PQTRANS_IDLE else { throw error }
      isOutcomeOpen = changes
      return try ask(sql, parameters, inBinary: inBinary, isReused: isReused, until: deadline)
    }
  }

  private func ask(
    _ sql: String, _ parameters: [PostgresValue], inBinary: Bool, isReused: Bool, until deadline: Instant
  ) throws(PostgresError) -> PostgresResult {
    let name = isReused ? try preparedName(of: sql, until: deadline) : nil
    try send(sql, preparedAs: name, parameters, inBinary: inBinary)
    return try answer(until: deadline)
  }

  /// Runs several statements without parameters, such as those of a file.
  package func runScript(_ sql: String) throws(PostgresError) {
    guard PQsendQuery(handle, sql) == 1 else { throw lost() }
    _ = try answer(until: .now + times.script)
  }

  /// Runs `body` in a transaction. If this throws, nothing has changed.
  ///
  /// The exception is `connectionLost(_, mayHaveChanged: true)`: the commit's result was lost, so the changes may have
  /// been made.
  package func transaction<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
    try run("BEGIN")
    let value: Value
    do {
      value = try body(self)
    } catch {
      _ = try? run("ROLLBACK")
      throw error
    }
    try run("COMMIT", changes: true)
    return value
  }

  // MARK: Connecting

  /// Connects to the first host of the address that answers and has the requested role (`target_session_attrs`).
  ///
  /// Each host has its own timeout, because libpq tries the next host only if one refuses.
  private static func connect(
    to address: PostgresAddress, within time: Duration
  ) throws(PostgresError) -> OpaquePointer {
    var failures: [String] = []
    for host in try hosts(of: address) {
      do throws(PostgresError) {
        return try connect(defaults + [("dbname", address.connectionString)] + host, within: time)
      } catch {
        failures.append(error.sentence)
      }
    }
    throw .connectionFailed(failures.joined(separator: "; "))
  }

  /// The parameters of each host of an address; one empty list if libpq has no hosts to choose from.
  private static func hosts(of address: PostgresAddress) throws(PostgresError) -> [[(String, String)]] {
    guard let options = PQconninfoParse(address.connectionString, nil) else {
      // libpq's message quotes the address including its password.
      throw .connectionFailed("the address is not a valid PostgreSQL address")
    }
    defer { PQconninfoFree(options) }
    var lists: [String: [String]] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      let name = String(cString: keyword)
      if let value = option.pointee.val, ["host", "hostaddr", "port"].contains(name) {
        lists[name] = String(cString: value).split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      }
      option += 1
    }
    let count = max(lists["host"]?.count ?? 0, lists["hostaddr"]?.count ?? 0)
    guard count > 1 else { return [[]] }
    return (0..<count).map { index in
      lists.sorted { $0.key < $1.key }.map { name, values in
        // A single port applies to every host.
        (name, values.count == 1 ? values[0] : index < values.count ? values[index] : "")
      }
    }
  }

  private static func connect(
    _ parameters: [(String, String)], within time: Duration
  ) throws(PostgresError) -> OpaquePointer {
    let handle = withCStrings(parameters.map(\.0)) { keywords in
      withCStrings(parameters.map(\.1)) { values in PQconnectStartParams(keywords, values, 1) }
    }
    guard let handle else { throw .connectionFailed("out of memory") }
    let deadline = Instant.now + time
    while true {
      let events: Int32
      switch PQconnectPoll(handle) {
      case PGRES_POLLING_OK: return handle
      case PGRES_POLLING_READING: events = POLLIN
      case PGRES_POLLING_WRITING: events = POLLOUT
      default:
        let failure = message(of: handle)
        PQfinish(handle)
        throw .connectionFailed(failure)
      }
      guard wait(on: PQsocket(handle), for: events, until: deadline) == true else {
        PQfinish(handle)
        throw .connectionFailed("no answer within \(time)")
      }
    }
  }

  /// Enables durable commits and sets the session's timeouts. A database whose default trades durability for speed
  /// would lose accepted photos.
  private func makeDurable() throws(PostgresError) {
    let seconds = max(1, times.statement.components.seconds)
    try run(
      """
      SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
      """)
    try run("SET idle_in_transaction_session_timeout = '\(seconds)s'")
    try run("SET statement_timeout = '\(seconds)s'")
    // So that the statement of a killed server, or one that was given up, does not hold its locks. Since PostgreSQL 14.
    try run(
      """
      SELECT set_config(name, '1s', false) FROM pg_settings WHERE name = 'client_connection_check_interval'
      """)
  }

  /// Checks that commits are durable. Pooled sessions are shared, so SET does not persist beyond a transaction.
  private func requireDurable() throws(PostgresError) {
    let setting = try run("SELECT current_setting('synchronous_commit') AS value").first?.text("value")
    guard setting != "off" else {
      throw .connectionFailed(
        "synchronous_commit is off, and can't be turned on through a pooler: ALTER DATABASE ... SET synchronous_commit = on"
      )
    }
  }

  // MARK: One statement

  /// Returns the name of a prepared statement; nil for statements that are not prepared. Preparing transaction commands
  /// gains nothing.
  private func preparedName(of sql: String, until deadline: Instant) throws(PostgresError) -> String? {
    guard preparesByName, !["BEGIN", "COMMIT", "ROLLBACK"].contains(sql), !sql.hasPrefix("SET ") else { return nil }
    let name = Self.name(of: sql)
    if prepared.contains(name) { return name }
    // So that no mistake fills the server's memory.
    guard prepared.count < 256 else { return nil }
    guard PQsendPrepare(handle, name, sql, 0, nil) == 1 else { throw lost() }
    let wasOpen = isOutcomeOpen
    isOutcomeOpen = false
    _ = try answer(until: deadline)
    isOutcomeOpen = wasOpen
    prepared.insert(name)
    return name
  }

  /// Names a statement by its text, because behind an undeclared pooler a name may have been used by another client.
  private static func name(of sql: String) -> String {
    // FNV-1a (64 bit) with its published constants; the length makes collisions rarer.
    let hash = sql.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64(clamping: $1)) &* 0x100_0000_01b3 }
    return "serialscan_\(String(hash, radix: 16))_\(sql.utf8.count)"
  }

  private func send(
    _ sql: String, preparedAs name: String?, _ parameters: [PostgresValue], inBinary: Bool
  ) throws(PostgresError) {
    var encoded: [EncodedParameter] = []
    for parameter in parameters { encoded.append(try EncodedParameter(parameter)) }
    let count = Int32(clamping: encoded.count)
    let (types, lengths, formats) = (encoded.map(\.type), encoded.map(\.length), encoded.map(\.format))
    let sent = Self.withPointers(encoded.map(\.bytes)) { values in
      if let name { return PQsendQueryPrepared(handle, name, count, values, lengths, formats, inBinary ? 1 : 0) }
      return PQsendQueryParams(handle, sql, count, types, values, lengths, formats, inBinary ? 1 : 0)
    }
    guard sent == 1 else { throw lost() }
  }

  private func answer(until deadline: Instant) throws(PostgresError) -> PostgresResult {
    try flush(until: deadline)
    var last: PostgresResult?
    var refusal: PostgresRefusal?
    while let result = try nextResult(until: deadline) {
      switch PQresultStatus(result) {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK: last = PostgresResult(owning: result)
      default:
        refusal = refusal ?? Self.refusal(result)
        PQclear(result)
      }
    }
    if PQstatus(handle) != CONNECTION_OK { throw lost() }
    if let refusal { throw .refused(refusal) }
    guard let last else { throw .unexpectedAnswer("no result") }
    return last
  }

  private func flush(until deadline: Instant) throws(PostgresError) {
    while true {
      let state = PQflush(handle)
      if state == 0 { return }
      guard state == 1, try wait(for: POLLIN | POLLOUT, until: deadline) else { throw lost() }
      // The server may need us to read before it accepts more.
      guard PQconsumeInput(handle) == 1 else { throw lost() }
    }
  }

  private func nextResult(until deadline: Instant) throws(PostgresError) -> OpaquePointer? {
    while PQisBusy(handle) == 1 {
      guard try wait(for: POLLIN, until: deadline) else {
        hangUp()
        throw .connectionLost("no answer within \(times.statement)", mayHaveChanged: isOutcomeOpen)
      }
      guard PQconsumeInput(handle) == 1 else { throw lost() }
    }
    return PQgetResult(handle)
  }

  /// Waits for the socket; returns false at the deadline.
  private func wait(for events: Int32, until deadline: Instant) throws(PostgresError) -> Bool {
    guard let isReady = Self.wait(on: PQsocket(handle), for: events, until: deadline) else { throw lost() }
    return isReady
  }

  /// Waits until the socket is ready or the deadline; returns nil if waiting fails.
  private static func wait(on socket: Int32, for events: Int32, until deadline: Instant) -> Bool? {
    while true {
      let left = (deadline - .now) / .milliseconds(1)
      guard left > 0 else { return false }
      var descriptor = pollfd(fd: socket, events: Int16(truncatingIfNeeded: events), revents: 0)
      let found = poll(&descriptor, 1, Int32(exactly: min(left.rounded(.up), 60_000)) ?? 60_000)
      if found > 0 { return true }
      guard found == 0 || errno == EINTR else { return nil }
    }
  }

  private func takeNotifications() -> [(channel: String, payload: String)] {
    var found: [(String, String)] = []
    while let note = PQnotifies(handle) {
      found.append((String(cString: note.pointee.relname), String(cString: note.pointee.extra)))
      PQfreemem(note)
    }
    return found
  }

  // MARK: Errors

  private var message: String { Self.message(of: handle) }

  private static func message(of handle: OpaquePointer) -> String {
    String(cString: PQerrorMessage(handle)).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func lost() -> PostgresError { .connectionLost(message, mayHaveChanged: isOutcomeOpen) }

  private static func refusal(_ result: OpaquePointer) -> PostgresRefusal {
    // libpq's PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY: letters.
    func field(_ letter: Character) -> String? {
      letter.asciiValue.flatMap { PQresultErrorField(result, Int32(clamping: $0)) }.map { String(cString: $0) }
    }
    return PostgresRefusal(
      sqlState: field("C") ?? "", message: field("M") ?? String(cString: PQresultErrorMessage(result)))
  }

  // MARK: Pointers

  private static func withCStrings<Value>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Value
  ) -> Value {
    withPointers(texts.map { Array($0.utf8) + [0] }, body)
  }

  /// Calls `body` with pointers to each of `values`, followed by a null pointer.
  private static func withPointers<Value>(
    _ values: [[UInt8]?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Value
  ) -> Value {
    let total = values.reduce(0) { $0 + ($1?.count ?? 0) }
    let storage = UnsafeMutablePointer<CChar>.allocate(capacity: max(1, total))
    defer { storage.deallocate() }
    var next = storage
    var pointers: [UnsafePointer<CChar>?] = []
    for value in values {
      guard let value else {
        pointers.append(nil)
        continue
      }
      pointers.append(UnsafePointer(next))
      for byte in value {
        next.pointee = CChar(bitPattern: byte)
        next += 1
      }
    }
    pointers.append(nil)
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
  }
}

extension PostgresError {
  /// Describes the error for a log or a person.
  package var sentence: String {
    switch self {
    case .connectionFailed(let text), .connectionLost(let text, _), .unexpectedAnswer(let text), .unsendable(let text):
      text
    case .refused(let refusal): "\(refusal.sqlState) \(refusal.message)"
    case .poolExhausted: "no free connection"
    case .closed: "closed"
    }
  }
}

import Settings

/// The attempts under way, counted by receiver, so that none of them takes every place.
///
/// A receiver is a scheme, host and port. It can be spelled in several ways, such as with user info or with the default
/// port, and the store leaves out webhooks by spelling.
struct ConcurrentAttempts {
  private struct Receiver {
    var count = 0
    var spellings: Set<String> = []
  }

  /// The maximum number of spellings of a receiver that are left out, because each makes the statement longer.
  private static let mostSpellings = 20

  private let most: Int
  private let mostPerReceiver: Int
  private var receivers: [String: Receiver] = [:]

  /// Creates an empty set of attempts.
  init(most: Int, mostPerReceiver: Int) {
    (self.most, self.mostPerReceiver) = (most, mostPerReceiver)
  }

  /// The number of attempts that can begin, whatever their receivers that are not in `fullPlaces`.
  var room: Int {
    let counts = receivers.values.map(\.count)
    let busiest = counts.filter { $0 < mostPerReceiver }.max() ?? 0
    return max(0, min(most - counts.reduce(0, +), mostPerReceiver - busiest))
  }

  /// The known spellings of the receivers that have as many attempts as they may.
  var fullPlaces: [String] {
    receivers.values.filter { $0.count >= mostPerReceiver }.flatMap(\.spellings)
  }

  /// Counts an attempt. Returns false if its receiver already has as many as it may.
  mutating func begin(_ url: String) -> Bool {
    let (name, spelling) = Self.receiver(url)
    var receiver = receivers[name] ?? Receiver()
    defer { receivers[name] = receiver }
    if receiver.spellings.count < Self.mostSpellings { receiver.spellings.insert(spelling) }
    guard receiver.count < mostPerReceiver else { return false }
    receiver.count += 1
    return true
  }

  /// Ends an attempt.
  mutating func end(_ url: String) {
    let (name, _) = Self.receiver(url)
    receivers[name]?.count -= 1
    if receivers[name]?.count == 0 { receivers[name] = nil }
  }

  private static func receiver(_ url: String) -> (name: String, spelling: String) {
    // An invalid URL is refused at once.
    guard let parsed = WebhookURL(url) else { return (url, url) }
    return (parsed.origin, parsed.beginning)
  }
}

/// How long a photo will wait, from what reading really took.
struct WaitEstimate: Sendable {
  /// Seconds a photo takes on average, measured; nil as long as nothing was read.
  let secondsPerPhoto: @Sendable () async -> Double?
  let workers: Int

  /// Seconds until the photo at a position is read, or nil where nothing is measured yet.
  func seconds(position: Int) async -> Double? {
    guard let each = await secondsPerPhoto() else { return nil }
    let rounds = (max(position, 1) + workers - 1) / max(workers, 1)
    return Double(rounds) * each
  }

  /// The estimate for a person.
  func text(position: Int) async -> String {
    guard let seconds = await seconds(position: position) else { return "not known yet" }
    let whole = max(1, Int(seconds.rounded(.up)))
    switch whole {
    case 1: return "1 second"
    case ..<120: return "\(whole) seconds"
    case ..<7200: return "\((whole + 30) / 60) minutes"
    default: return "\((whole + 1800) / 3600) hours"
    }
  }
}

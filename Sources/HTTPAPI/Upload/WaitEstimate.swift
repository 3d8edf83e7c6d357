import Foundation

/// An estimated waiting time in words.
enum WaitEstimate {
  /// Returns `5 seconds` or `3 minutes`; `not known yet` before anything was measured.
  static func text(seconds: TimeInterval?) -> String {
    guard let seconds else { return "not known yet" }
    let whole = max(1, Int(exactly: min(seconds, 1e9).rounded(.up)) ?? 1)
    switch whole {
    case 1: return "1 second"
    case ..<120: return "\(whole) seconds"
    case ..<7200: return "\((whole + 30) / 60) minutes"
    default: return "\((whole + 1800) / 3600) hours"
    }
  }
}

import HTTPTypes

/// A request that was answered before its head had arrived: too large, too late, or no HTTP.
struct RefusedConnection: Sendable {
  /// What it was answered.
  var status: HTTPResponse.Status
  /// The id that its answer has.
  var requestID: String
  /// Who sent it, as far as it is known.
  var address: String?
}

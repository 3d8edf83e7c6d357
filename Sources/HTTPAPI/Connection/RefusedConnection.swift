import HTTPTypes

/// A request answered before its head arrived: too large, too late, or invalid HTTP.
struct RefusedConnection: Sendable {
  /// The status of the response.
  var status: HTTPResponse.Status
  /// The request id in the response.
  var requestID: String
  /// The client's address, if known.
  var address: String?
}

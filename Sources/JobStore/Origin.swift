/// Where something came from: whose key, and under which names the request is found in the logs of all who had to do with
/// it.
public struct Origin: Codable, Sendable, Equatable {
  /// The id of the key that the request came with; nil where the server was open.
  public var keyID: String?
  /// The request's id, the client's own or one that the server gave it.
  public var requestID: String?
  /// The trace that the request belongs to (W3C Trace Context), 32 hexadecimal digits.
  public var traceID: String?

  /// Creates an origin; without arguments, an unknown one.
  public init(keyID: String? = nil, requestID: String? = nil, traceID: String? = nil) {
    self.keyID = keyID
    self.requestID = requestID
    self.traceID = traceID
  }
}

/// The origin of a request: its key, and the ids that identify it in the logs of every system involved.
public struct Origin: Codable, Sendable, Equatable {
  /// The id of the request's key; nil if the server required none.
  public var keyID: String?
  /// The request's id, chosen by the client or the server.
  public var requestID: String?
  /// The trace that the request belongs to (W3C Trace Context), 32 hexadecimal digits.
  public var traceID: String?

  /// Creates an origin. Without arguments it is unknown.
  public init(keyID: String? = nil, requestID: String? = nil, traceID: String? = nil) {
    self.keyID = keyID
    self.requestID = requestID
    self.traceID = traceID
  }
}

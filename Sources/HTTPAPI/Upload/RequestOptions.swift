import JobStore
import Support

/// The options of a request with a photo that affect its result. A repeated request with the same Idempotency-Key must
/// have the same options.
struct RequestOptions {
  private var values: [String: String] = [:]

  /// Adds an option; nil stands for its default.
  mutating func add(_ name: String, _ value: String?) { values[name] = value }

  /// The digest of the options of a request without a photo.
  var fingerprint: String { fingerprint(ofPhoto: "") }

  /// Returns the digest of the photo and the options; without options, the photo's own digest, as in earlier versions.
  ///
  /// - Parameter photo: The SHA-256 of the photo in lower-case hexadecimal.
  func fingerprint(ofPhoto photo: String) -> String {
    guard !values.isEmpty else { return photo }
    // Lengths prevent a value from being mistaken for the next name.
    let text = values.sorted { $0.key < $1.key }.reduce(into: photo) { text, option in
      text += "\n\(option.key) \(option.value.utf8.count) \(option.value)"
    }
    return SHA256.hexadecimal(Array(text.utf8))
  }
}

extension JobRequest {
  /// Returns the digest of the photo and of the options that affect its result. The same request under the same
  /// Idempotency-Key finds its job, whether a server or a command that works on the same store received it.
  ///
  /// - Parameters:
  ///   - photo: The SHA-256 of the photo in lower-case hexadecimal.
  ///   - callbackURL: The address that the request names for its result; nil for none.
  package func fingerprint(ofPhoto photo: String, callbackURL: String? = nil) -> String {
    var options = RequestOptions()
    options.add("preset", preset?.rawValue)
    options.add("device_type", deviceType)
    options.add("region", part?.description)
    options.add("multiple", everySerial ? "true" : nil)
    options.add("persist", persist ? nil : "false")
    options.add("min_confidence", minConfidence?.description)
    options.add("batch", batchID)
    options.add("callback_url", callbackURL)
    return options.fingerprint(ofPhoto: photo)
  }
}

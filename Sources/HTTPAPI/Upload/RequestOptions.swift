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

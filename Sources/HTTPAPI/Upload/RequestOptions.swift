import Support

/// What was asked of a photo beside the photo itself, so far as it changes what becomes of it: a request that is sent again
/// under the same Idempotency-Key has to ask the same.
struct RequestOptions {
  private var values: [String: String] = [:]

  /// Adds an option; nil stands for its default.
  mutating func add(_ name: String, _ value: String?) { values[name] = value }

  /// A digest of the options of a request without a photo.
  var fingerprint: String { fingerprint(ofPhoto: "") }

  /// A digest of the photo and of the options; without options, the photo's own, as versions before kept it.
  ///
  /// - Parameter photo: SHA-256 of the photo in lower-case hexadecimal.
  func fingerprint(ofPhoto photo: String) -> String {
    guard !values.isEmpty else { return photo }
    // Lengths keep a value from looking like the next name.
    let text = values.sorted { $0.key < $1.key }.reduce(into: photo) { text, option in
      text += "\n\(option.key) \(option.value.utf8.count) \(option.value)"
    }
    return SHA256.hexadecimal(Array(text.utf8))
  }
}

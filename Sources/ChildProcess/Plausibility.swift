/// Throws `Implausible` unless the condition holds. NaN never satisfies one.
public func require(_ holds: Bool, _ thing: String) throws(Implausible) {
  if !holds { throw Implausible("It sent \(thing).") }
}

extension String {
  /// Whether this is at most 2,000 bytes of text on one line, possibly empty.
  public var isSentence: Bool {
    utf8.count <= 2_000 && !unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}

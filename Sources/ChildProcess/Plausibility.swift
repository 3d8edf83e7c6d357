/// Throws `Implausible` unless the condition holds. NaN never satisfies one.
public func require(_ holds: Bool, _ thing: String) throws(Implausible) {
  if !holds { throw Implausible("It told of \(thing).") }
}

extension String {
  /// Whether it is a line of text for a person; may be empty.
  public var isSentence: Bool {
    utf8.count <= 2_000 && !unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}

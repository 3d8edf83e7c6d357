/// Throws that a child told of such a thing where a condition does not hold. A number that is none meets no condition.
public func demand(_ holds: Bool, _ thing: String) throws(Implausible) {
  if !holds { throw Implausible("It told of \(thing).") }
}

extension String {
  /// Whether it is a line of text for a person; may be empty.
  public var isSentence: Bool {
    utf8.count <= 2_000 && !unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}

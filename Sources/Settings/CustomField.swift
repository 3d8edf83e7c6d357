/// A field that the operator adds to devices, such as an asset tag, a grade or a location.
public struct CustomField: Sendable, Equatable {
  /// Maximum number of fields.
  public static let most = 10
  /// Maximum number of characters of a name.
  public static let longestName = 40
  /// Maximum number of characters of a value.
  public static let longestValue = 200

  /// The name: letters, digits and underscores.
  public var name: String
  /// The pattern that values must match; nil to allow any value. Values are taken from codes in photos only if there is
  /// a pattern.
  public var pattern: ValuePattern?

  /// Creates a field.
  public init(name: String, pattern: ValuePattern? = nil) {
    self.name = name
    self.pattern = pattern
  }

  /// Returns the value without surrounding blanks, or the problem with it.
  public func checked(_ text: String) -> Result<String, ValueProblem> {
    guard text.utf8.count <= Self.longestValue * 8 else { return .failure(.length) }
    func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" || scalar == "\u{A0}" }
    let scalars = text.unicodeScalars.drop(while: isBlank)
    let value = String(String.UnicodeScalarView(scalars.reversed().drop(while: isBlank).reversed()))
    let count = value.unicodeScalars.count
    guard (1...Self.longestValue).contains(count) else { return .failure(.length) }
    guard value.unicodeScalars.allSatisfy(Self.isPrintable) else { return .failure(.control) }
    guard let pattern, !pattern.matches(value) else { return .success(value) }
    return .failure(.pattern(pattern.text))
  }

  /// Whether a character is neither a control character nor a line end.
  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: true
    }
  }

  /// A reason for which a text is not a valid value.
  public enum ValueProblem: Error, Equatable, Sendable {
    /// It is empty or too long.
    case length
    /// It contains a control character or a line end.
    case control
    /// It does not match the field's pattern.
    case pattern(String)

    /// The problem as a sentence without its subject.
    public var rule: String {
      switch self {
      case .length: "must have 1 to \(CustomField.longestValue) characters"
      case .control: "must be one line without control characters"
      case .pattern(let pattern): "must match `\(pattern)`"
      }
    }
  }
}

extension [CustomField] {
  /// Names that are already columns of lists and imports.
  private static var taken: Set<String> { ["serial", "device_type"] }

  /// Parses names separated by spaces, each optionally followed by `=` and a pattern.
  init(parsing text: String) throws(ValuePattern.Problem) {
    self = []
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\n" }) {
      let name = word.prefix { $0 != "=" }
      func problem(_ reason: String) -> ValuePattern.Problem { ValuePattern.Problem(reason: reason) }
      guard (1...CustomField.longestName).contains(name.utf8.count), name.utf8.allSatisfy(Self.isNamed) else {
        throw problem(
          "expected names of letters, digits and underscores, at most \(CustomField.longestName) characters each")
      }
      guard !Self.taken.contains(name.lowercased()) else {
        throw problem("expected names that no column of a list has (\(name) is one)")
      }
      guard !contains(where: { $0.name.lowercased() == name.lowercased() }) else {
        throw problem("expected each name once (\(name) is there twice)")
      }
      var field = CustomField(name: String(name))
      if name.endIndex < word.endIndex {
        let pattern = String(word[word.index(after: name.endIndex)...])
        do throws(ValuePattern.Problem) {
          guard !pattern.isEmpty else { throw problem("is empty") }
          field.pattern = try ValuePattern(pattern)
        } catch {
          throw problem("the pattern of \(name) \(error.reason); expected a pattern like RM-\\d{5}")
        }
      }
      append(field)
    }
    guard count <= CustomField.most else {
      throw ValuePattern.Problem(reason: "expected at most \(CustomField.most) fields")
    }
  }

  private static func isNamed(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
  }

  /// Returns the values in a photo's codes by field: texts that match the field's pattern.
  ///
  /// Leaves out a field for which the codes contain different values, because either may belong to the device.
  public func values(inCodes codes: [String]) -> [String: String] {
    var found: [String: Set<String>] = [:]
    for code in codes {
      for field in self where field.pattern != nil {
        guard case .success(let value) = field.checked(code) else { continue }
        found[field.name, default: []].insert(value)
        break
      }
    }
    return found.compactMapValues { $0.count == 1 ? $0.first : nil }
  }
}

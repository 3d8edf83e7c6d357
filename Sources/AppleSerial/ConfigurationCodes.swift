/// Maps configuration codes (the last characters of a serial) to model numbers (`A2141`).
///
/// A model number printed beside a serial confirms or contradicts the read. The built-in table contains only codes seen
/// on photos. A store adds codes that people confirmed or imported, which can raise a read's confidence.
public struct ConfigurationCodes: Sendable, Equatable, Codable {
  /// The agreement of a model number with a serial.
  public enum Agreement: Sendable, Equatable {
    /// The code is known to belong to that model.
    case confirms
    /// The code is known to belong only to other models.
    case contradicts
    /// The code is not known, or the serial's format has none.
    case unknown
  }

  /// The models of added codes.
  private var added: [String: Set<String>] = [:]

  /// Creates the table with additional pairs of code and model.
  public init(adding pairs: [(code: String, model: String)] = []) {
    for pair in pairs { add(code: pair.code, model: pair.model) }
  }

  /// Adds a pair. If the model is not a model number, the code becomes known, but contradicts nothing.
  public mutating func add(code: String, model: String) {
    added[code.uppercased(), default: []].insert(DeviceField(.modelNumber, model)?.text ?? model)
  }

  /// Number of added codes.
  public var count: Int { added.count }

  /// Returns the models to which a serial's configuration code belongs; empty if unknown.
  public func models(of serial: SerialNumber) -> Set<String> {
    guard let code = serial.meaning?.configurationCode else { return [] }
    return (added[code] ?? []).union(Self.builtIn[code] ?? [])
  }

  /// Compares a serial with a model number read beside it.
  public func agreement(of serial: SerialNumber, withModel model: String) -> Agreement {
    let known = models(of: serial)
    if known.contains(model.uppercased()) { return .confirms }
    let areNumbers = known.allSatisfy { DeviceField(.modelNumber, $0) != nil }
    return known.isEmpty || !areNumbers ? .unknown : .contradicts
  }

  /// Whether a serial ends in an added code that differs from every other known code in more than one character. If two
  /// codes differ in one, either may be a misread of the other.
  public func areSure(of serial: SerialNumber) -> Bool {
    guard let code = serial.meaning?.configurationCode, added[code] != nil else { return false }
    let bytes = Array(code.utf8)
    return !bytes.indices.contains { place in
      Self.alphabet.contains { character in
        guard character != bytes[place] else { return false }
        var other = bytes
        other[place] = character
        let neighbour = String(decoding: other, as: UTF8.self)
        return added[neighbour] != nil || Self.builtIn[neighbour] != nil
      }
    }
  }

  private static let alphabet = Array("0123456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)
  /// The model numbers of codes that were seen on photos.
  public static let builtIn: [String: Set<String>] = [
    "MD6M": ["A2141"], "MD6N": ["A2141"], "JG5H": ["A1990"], "LVCF": ["A1990"], "Q6L4": ["A2337"],
  ]
}

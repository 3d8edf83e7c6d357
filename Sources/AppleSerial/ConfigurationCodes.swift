/// Which configuration codes (the last characters of a serial) belong to which model numbers (`A2141`).
///
/// A photo that shows a model number beside the serial confirms or contradicts the read with it. The built-in table
/// holds only what was seen on photos; a store adds the codes that people confirmed or imported, which can lift a read.
public struct ConfigurationCodes: Sendable, Equatable, Codable {
  /// What a model number in the picture says about a serial.
  public enum Agreement: Sendable, Equatable {
    /// The code is known to belong to that model.
    case confirms
    /// The code is known to belong to other models alone.
    case contradicts
    /// The code, or the serial's format, says nothing.
    case unknown
  }

  /// The models of the codes that were added.
  private var added: [String: Set<String>] = [:]

  /// Creates the table, with further pairs of a configuration code and a model.
  public init(adding pairs: [(code: String, model: String)] = []) {
    for pair in pairs { add(code: pair.code, model: pair.model) }
  }

  /// Adds one pair. A model that is no model number makes the code known, but contradicts nothing.
  public mutating func add(code: String, model: String) {
    added[code.uppercased(), default: []].insert(DeviceField(.modelNumber, model)?.text ?? model)
  }

  /// How many codes were added.
  public var count: Int { added.count }

  /// The models a serial's configuration code is known to belong to; empty where it is not known.
  public func models(of serial: SerialNumber) -> Set<String> {
    guard let code = serial.meaning?.configurationCode else { return [] }
    return (added[code] ?? []).union(Self.seen[code] ?? [])
  }

  /// What a model number read beside the serial says about it.
  public func agreement(of serial: SerialNumber, withModel model: String) -> Agreement {
    let known = models(of: serial)
    if known.contains(model.uppercased()) { return .confirms }
    let areNumbers = known.allSatisfy { DeviceField(.modelNumber, $0) != nil }
    return known.isEmpty || !areNumbers ? .unknown : .contradicts
  }

  /// Whether a serial ends in a code that was added, and in none that differs from another known one in a single character: of two
  /// such codes each may be the other misread.
  public func areSure(of serial: SerialNumber) -> Bool {
    guard let code = serial.meaning?.configurationCode, added[code] != nil else { return false }
    let bytes = Array(code.utf8)
    return !bytes.indices.contains { place in
      Self.alphabet.contains { character in
        guard character != bytes[place] else { return false }
        var other = bytes
        other[place] = character
        let neighbour = String(decoding: other, as: UTF8.self)
        return added[neighbour] != nil || Self.seen[neighbour] != nil
      }
    }
  }

  private static let alphabet = Array("0123456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)
  private static let seen: [String: Set<String>] = [
    "MD6M": ["A2141"], "MD6N": ["A2141"], "JG5H": ["A1990"], "LVCF": ["A1990"], "Q6L4": ["A2337"],
  ]
}

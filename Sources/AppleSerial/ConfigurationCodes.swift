/// Which configuration codes (the last characters of a serial) belong to which model number (`A2141`).
///
/// A photo that shows a model number beside the serial confirms or contradicts the read with it. The built-in table
/// holds only what was seen on photos; reads that people confirmed may be added.
public struct ConfigurationCodes: Sendable {
  /// What a model number in the picture says about a serial.
  public enum Agreement: Sendable, Equatable {
    /// The code is known to belong to that model.
    case confirms
    /// The code is known to belong to another model.
    case contradicts
    /// The code, or the serial's format, says nothing.
    case unknown
  }

  private var models: [String: Set<String>]

  /// Creates the table, with further pairs of configuration code and model number.
  public init(adding confirmed: [(code: String, model: String)] = []) {
    models = Self.seen
    for pair in confirmed { add(code: pair.code, model: pair.model) }
  }

  /// Adds one confirmed pair.
  public mutating func add(code: String, model: String) {
    models[code.uppercased(), default: []].insert(model.uppercased())
  }

  /// The model numbers a serial's configuration code is known to belong to; empty where it is not known.
  public func models(of serial: SerialNumber) -> Set<String> {
    serial.meaning.flatMap { models[$0.configurationCode] } ?? []
  }

  /// What a model number read beside the serial says about it.
  public func agreement(of serial: SerialNumber, withModel model: String) -> Agreement {
    let known = models(of: serial)
    guard !known.isEmpty else { return .unknown }
    return known.contains(model.uppercased()) ? .confirms : .contradicts
  }

  private static let seen: [String: Set<String>] = [
    "MD6M": ["A2141"], "MD6N": ["A2141"], "JG5H": ["A1990"], "LVCF": ["A1990"], "Q6L4": ["A2337"],
  ]
}

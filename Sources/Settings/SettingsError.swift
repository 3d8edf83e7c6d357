/// A setting that prevents the program from starting. The text names the key and where it was set.
public struct SettingsError: Error, Equatable, CustomStringConvertible {
  /// The dotted key, such as `queue.lease`; empty if the whole file can't be read.
  public var key: String
  /// Where it was set: `serialscan.yaml:12`, `SERIALSCAN_PORT`, `--set`.
  public var origin: String
  /// What is wrong, and what is expected.
  public var problem: String

  /// Creates an error.
  public init(key: String, origin: String, problem: String) {
    self.key = key
    self.origin = origin
    self.problem = problem
  }

  /// The message: origin, key, problem. Omits the key if the origin is a flag or a variable of this setting, whose name
  /// says it.
  public var description: String {
    let isFlagOfItsOwn = origin.hasPrefix("--") && origin != "--set"
    let isNamed = key.isEmpty || isFlagOfItsOwn || origin == LayeredValues.variable(for: key)
    return isNamed ? "\(origin): \(problem)" : "\(origin): \(key): \(problem)"
  }
}

/// Names of models by model number (`A2141`) and model identifier (`MacBookPro16,1`).
public struct ModelTable: Sendable {
  private var names: [String: String] = [:]
  /// The model numbers by name in lower case.
  private var numbers: [String: Set<String>] = [:]

  /// Parses a CSV table with the header `code,name`; cells with a comma are quoted. Skips rows whose code is neither a
  /// model number nor a model identifier.
  public init(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline).dropFirst() {
      let cells = Self.cells(of: line)
      guard cells.count == 2, let code = Self.code(cells[0]), !cells[1].isEmpty else { continue }
      names[code] = cells[1]
      if Self.isNumber(code) { numbers[cells[1].lowercased(), default: []].insert(code) }
    }
  }

  /// Number of codes.
  public var count: Int { names.count }

  /// Returns the name of a model by its number or identifier; nil if unknown.
  public func name(of code: String) -> String? { Self.code(code).flatMap { names[$0] } }

  /// Returns the model numbers of a model by its number, identifier or name; empty if unknown.
  public func numbers(of model: String) -> Set<String> {
    if let number = DeviceField(.modelNumber, model)?.text { return [number] }
    return numbers[(name(of: model) ?? model).lowercased()] ?? []
  }

  private static func isNumber(_ code: String) -> Bool { DeviceField(.modelNumber, code) != nil }

  private static func code(_ text: String) -> String? {
    DeviceField(.modelNumber, text)?.text ?? DeviceField(.modelIdentifier, text)?.text
  }

  private static func cells(of line: Substring) -> [String] {
    var (cells, isQuoted) = ([""], false)
    for character in line {
      switch character {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted: cells.append("")
      default: cells[cells.count - 1].append(character)
      }
    }
    return cells
  }
}

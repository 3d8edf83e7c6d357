import Yams

extension YamlError {
  /// What is wrong with a file, as a clause on one line, and the line if the parser names it.
  package var problem: (line: Int?, sentence: String) {
    switch self {
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let place = context.map { "\($0.text) in line \($0.mark.line), column \($0.mark.column): " } ?? ""
      return (mark.line, "this is not valid YAML: \(place)\(problem)")
    case .reader(let problem, _, _, _): return (nil, "this is not valid YAML: \(problem)")
    case .duplicatedKeysInMapping(let keys, _):
      return (nil, "this is not valid YAML: \(keys.sorted().joined(separator: ", ")) appears twice")
    default: return (nil, "this is not valid YAML")
    }
  }
}

/// A pattern that whole values must match: regular expressions without the features that need backtracking, so that
/// matching takes linear time.
///
/// Literals, `.`, `\d`, `\w`, `\s` and their negations, classes like `[A-Z0-9]`, groups, alternatives and the
/// quantifiers `?`, `*`, `+` and `{2,5}` have the same meaning as in JavaScript.
public struct ValuePattern: Sendable, Equatable {
  /// A reason for which a text is not a valid pattern.
  public struct Problem: Error, Equatable, Sendable {
    /// A sentence without its subject, such as `has a ) without a (`.
    public var reason: String
  }

  /// Maximum number of characters of a pattern.
  public static let longest = 100
  /// Maximum number of repetitions in `{2,5}`, equal to the maximum length of a value.
  private static let mostRepetitions = 200
  /// Maximum number of compiled steps, which bounds the time per character of a value.
  private static let mostSteps = 4_000

  /// The pattern as written.
  public let text: String
  private let program: [Step]

  private enum Step: Equatable {
    /// Consumes a character of the set and continues with the next step.
    case character(CharacterSet)
    /// Continues with both steps.
    case fork(Int, Int)
    case jump(Int)
    case match
  }

  private struct CharacterSet: Equatable {
    var ranges: [ClosedRange<UInt32>]
    var isNegated: Bool

    init(ranges: [ClosedRange<UInt32>], isNegated: Bool = false) {
      (self.ranges, self.isNegated) = (ranges, isNegated)
    }

    /// The set of one character.
    init(of scalar: Unicode.Scalar) {
      self.init(ranges: [ClosedRange(uncheckedBounds: (scalar.value, scalar.value))])
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
      ranges.contains { $0.contains(scalar.value) } != isNegated
    }
  }

  private indirect enum Node {
    case characters(CharacterSet)
    case sequence([Node])
    case either([Node])
    case repeated(Node, least: Int, most: Int?)
  }

  /// Compiles a pattern.
  public init(_ text: String) throws(Problem) {
    guard text.unicodeScalars.count <= Self.longest else {
      throw Problem(reason: "has more than \(Self.longest) characters")
    }
    var parser = Parser(text)
    let node = try parser.pattern()
    var program: [Step] = []
    try Self.compile(node, into: &program)
    program.append(.match)
    self.text = text
    self.program = program
  }

  /// Whether the whole value matches. Takes time in proportion to the value's length.
  public func matches(_ value: String) -> Bool {
    var current = reached(from: [0])
    for scalar in value.unicodeScalars {
      guard !current.isEmpty else { return false }
      var next: [Int] = []
      for place in current {
        if case .character(let set) = program[place], set.contains(scalar) { next.append(place + 1) }
      }
      current = reached(from: next)
    }
    return current.contains { program[$0] == .match }
  }

  /// The steps that consume a character or match and can be reached without consuming a character.
  private func reached(from places: [Int]) -> [Int] {
    var seen = [Bool](repeating: false, count: program.count)
    var (open, found) = (places, [Int]())
    while let place = open.popLast() {
      guard place < program.count, !seen[place] else { continue }
      seen[place] = true
      switch program[place] {
      case .character, .match: found.append(place)
      case .jump(let other): open.append(other)
      case .fork(let one, let other): open += [one, other]
      }
    }
    return found
  }

  private static func compile(_ node: Node, into program: inout [Step]) throws(Problem) {
    guard program.count <= mostSteps else { throw Problem(reason: "repeats too much") }
    switch node {
    case .characters(let set): program.append(.character(set))
    case .sequence(let nodes): for node in nodes { try compile(node, into: &program) }
    case .either(let nodes):
      var ends: [Int] = []
      for (index, node) in nodes.enumerated() {
        let fork = program.count
        let isLast = index == nodes.count - 1
        if !isLast { program.append(.fork(fork + 1, 0)) }
        try compile(node, into: &program)
        guard !isLast else { continue }
        ends.append(program.count)
        program.append(.jump(0))
        program[fork] = .fork(fork + 1, program.count)
      }
      for end in ends { program[end] = .jump(program.count) }
    case .repeated(let node, let least, let most):
      for _ in 0..<least { try compile(node, into: &program) }
      guard let most else {
        let fork = program.count
        program.append(.fork(fork + 1, 0))
        try compile(node, into: &program)
        program.append(.jump(fork))
        program[fork] = .fork(fork + 1, program.count)
        return
      }
      var forks: [Int] = []
      for _ in stride(from: least, to: most, by: 1) {
        forks.append(program.count)
        program.append(.fork(program.count + 1, 0))
        try compile(node, into: &program)
      }
      for fork in forks { program[fork] = .fork(fork + 1, program.count) }
    }
  }

  /// Parses the text of a pattern.
  private struct Parser {
    private let scalars: [Unicode.Scalar]
    private var place = 0
    private var depth = 0

    private static let digits = CharacterSet(ranges: [0x30...0x39])
    private static let letters = CharacterSet(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    private static let blanks = CharacterSet(ranges: [0x09...0x0D, 0x20...0x20, 0xA0...0xA0])
    private static let anything = CharacterSet(ranges: [], isNegated: true)
    private static let mostDepth = 20

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    private var next: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
      guard next == scalar else { return false }
      place += 1
      return true
    }

    mutating func pattern() throws(Problem) -> Node {
      // Redundant, because the whole value must match.
      _ = take("^")
      let node = try alternatives()
      _ = take("$")
      if next == ")" { throw Problem(reason: "has a ) without a (") }
      if let rest = next { throw Problem(reason: "has a \(rest) in the wrong place") }
      return node
    }

    private mutating func alternatives() throws(Problem) -> Node {
      var all = [try sequence()]
      while take("|") { all.append(try sequence()) }
      return all.count == 1 ? all[0] : .either(all)
    }

    private mutating func sequence() throws(Problem) -> Node {
      var nodes: [Node] = []
      while let scalar = next, scalar != "|", scalar != ")", !(scalar == "$" && place == scalars.count - 1) {
        nodes.append(try quantified(try atom()))
      }
      return .sequence(nodes)
    }

    private mutating func quantified(_ node: Node) throws(Problem) -> Node {
      var result = node
      if take("?") {
        result = .repeated(node, least: 0, most: 1)
      } else if take("*") {
        result = .repeated(node, least: 0, most: nil)
      } else if take("+") {
        result = .repeated(node, least: 1, most: nil)
      } else if take("{") {
        result = try counted(node)
      } else {
        return node
      }
      if let again = next, "?*+{".unicodeScalars.contains(again) {
        throw Problem(reason: "has two quantifiers in a row")
      }
      return result
    }

    private mutating func counted(_ node: Node) throws(Problem) -> Node {
      let problem = Problem(reason: "has a { that is not followed by counts up to \(mostRepetitions), like {2,5}")
      guard let least = number() else { throw problem }
      var most: Int? = least
      if take(",") { most = next == "}" ? nil : number() ?? -1 }
      guard take("}"), least <= mostRepetitions, (most ?? least) >= least, (most ?? 0) <= mostRepetitions else {
        throw problem
      }
      return .repeated(node, least: least, most: most)
    }

    private mutating func number() -> Int? {
      var digits = ""
      while let scalar = next, ("0"..."9").contains(scalar), digits.count < 4 {
        digits.unicodeScalars.append(scalar)
        place += 1
      }
      return Optional(digits).flatMap(Int.init)
    }

    private mutating func atom() throws(Problem) -> Node {
      guard let scalar = next else { throw Problem(reason: "ends too early") }
      place += 1
      switch scalar {
      case ".": return .characters(Parser.anything)
      case "[": return .characters(try characterClass())
      case "\\": return .characters(try escaped())
      case "(":
        depth += 1
        guard depth <= Parser.mostDepth else { throw Problem(reason: "is nested too deep") }
        if take("?") {
          guard take(":") else { throw Problem(reason: "has a (? that is not (?:") }
        }
        let node = try alternatives()
        guard take(")") else { throw Problem(reason: "has a ( without a )") }
        depth -= 1
        return node
      case "?", "*", "+", "{": throw Problem(reason: "has a quantifier with nothing before it")
      case "]", "}": throw Problem(reason: "has a \(scalar) without its opening bracket")
      case "^", "$": throw Problem(reason: "has a \(scalar) in the middle; the whole value must match anyway")
      default: return .characters(CharacterSet(of: scalar))
      }
    }

    private mutating func escaped() throws(Problem) -> CharacterSet {
      guard let scalar = next else { throw Problem(reason: "ends with a \\") }
      place += 1
      func negated(_ set: CharacterSet) -> CharacterSet { CharacterSet(ranges: set.ranges, isNegated: true) }
      switch scalar {
      case "d": return Parser.digits
      case "D": return negated(Parser.digits)
      case "w": return Parser.letters
      case "W": return negated(Parser.letters)
      case "s": return Parser.blanks
      case "S": return negated(Parser.blanks)
      default:
        guard scalar.isASCII, !Parser.letters.contains(scalar) else {
          throw Problem(reason: "has \\\(scalar), which it can't have")
        }
        return CharacterSet(of: scalar)
      }
    }

    private mutating func characterClass() throws(Problem) -> CharacterSet {
      var set = CharacterSet(ranges: [], isNegated: take("^"))
      while let scalar = next {
        place += 1
        if scalar == "]" {
          guard !set.ranges.isEmpty else { throw Problem(reason: "has an empty []") }
          return set
        }
        if scalar == "\\" {
          let escape = try escaped()
          guard !escape.isNegated else { throw Problem(reason: "has a negated escape within []") }
          set.ranges += escape.ranges
          continue
        }
        var last = scalar
        if next == "-", place + 1 < scalars.count, scalars[place + 1] != "]" {
          last = scalars[place + 1]
          place += 2
          guard last != "\\", last.value >= scalar.value else {
            throw Problem(reason: "has a range within [] that runs backwards")
          }
        }
        set.ranges.append(ClosedRange(uncheckedBounds: (scalar.value, last.value)))
      }
      throw Problem(reason: "has a [ without a ]")
    }
  }
}

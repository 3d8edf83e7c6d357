import Foundation
import Settings
import Support
import Yams

/// The columns that another program imports, as defined by a built-in file or the operator's.
public struct ExportTemplate: Sendable {
  /// An error in a template's file, with the file's name and the line.
  public struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
    /// The sentence.
    public let description: String

    init(_ file: String, line: Int? = nil, _ problem: String) {
      description = "\(file)\(line.map { ":\($0)" } ?? ""): \(problem)"
    }
  }

  /// The name in requests: that of its file, without the extension.
  public let name: String
  /// Its purpose.
  public let description: String
  /// The columns, and the format of the file.
  public let layout: ExportLayout

  /// The maximum number of characters of a heading or a description, of a text in each row, and of columns.
  private static let (longestLine, longestText, mostColumns) = (100, 1000, 200)
  /// The maximum size of a file in bytes.
  static let mostBytes = 64 << 10

  /// Parses a file.
  ///
  /// - Parameters:
  ///   - text: The YAML.
  ///   - file: The file's name, for messages.
  ///   - columns: The available columns by name.
  init(_ text: String, named name: String, file: String, columns: [String: ExportColumn]) throws(Problem) {
    self.name = name
    var bounds = SettingsText()
    if let (line, sentence) = bounds.problem(in: text) { throw Problem(file, line: line, sentence) }
    let root: Node?
    do {
      root = try Yams.compose(yaml: text)
    } catch let error as YamlError {
      throw Problem(file, line: error.problem.line, printable(error.problem.sentence))
    } catch {
      throw Problem(file, "this is not valid YAML")
    }
    guard let root else { throw Problem(file, "the file is empty; it needs `columns`") }
    let fields = try TemplateFields(
      root, file, known: ["description", "rows", "separator", "byte_order_mark", "columns"])
    description = try fields.text("description", longest: Self.longestLine) ?? ""
    let rows = try fields.choice("rows", ExportRows.allCases.map { ($0.rawValue, $0) }) ?? .reads
    let separator = try fields.choice("separator", SerialExport.Separator.allCases.map { ($0.rawValue, $0) }) ?? .comma
    let hasMark = try fields.choice("byte_order_mark", [("true", true), ("false", false)]) ?? true
    guard let list = fields["columns"] else { throw Problem(file, "there are no `columns`") }
    guard case .sequence(let items) = list, !items.isEmpty, items.count <= Self.mostColumns else {
      throw Problem(file, line: list.mark?.line, "`columns` must be a list of 1 to \(Self.mostColumns) columns")
    }
    var made: [ExportLayout.Column] = []
    var headers: Set<String> = []
    for item in items {
      let entry = try TemplateFields(item, file, known: ["header", "column", "text", "optional", "otherwise"])
      guard let column = try Self.column(entry, columns, rows) else { continue }
      // Programs find columns by their headings; most ignore case.
      guard headers.insert(column.header.lowercased()).inserted else {
        throw entry.problem("header", "the heading “\(column.header)” is used twice")
      }
      made.append(column)
    }
    guard !made.isEmpty else { throw Problem(file, "every column is optional, and none of them exists") }
    layout = ExportLayout(made, rows: rows, separator: separator, template: name, hasByteOrderMark: hasMark)
  }

  /// Returns a column; nil if it is optional and unknown.
  private static func column(
    _ entry: TemplateFields, _ columns: [String: ExportColumn], _ rows: ExportRows
  ) throws(Problem) -> ExportLayout.Column? {
    let header = try entry.text("header", longest: longestLine)
    let text = try entry.text("text", longest: longestText)
    let otherwise = try entry.text("otherwise", longest: longestText)
    let isOptional = try entry.choice("optional", [("true", true), ("false", false)]) ?? false
    guard let name = try entry.text("column", longest: longestLine) else {
      guard let text else { throw entry.problem(nil, "a column has a `column` or a `text`") }
      guard let header, !header.isEmpty else { throw entry.problem(nil, "a column with a `text` needs a `header`") }
      guard otherwise == nil else { throw entry.problem("otherwise", "`otherwise` belongs to a `column`") }
      return ExportLayout.Column(header: header, text: text)
    }
    guard text == nil else { throw entry.problem("text", "a column has a `column` or a `text`, not both") }
    guard let column = columns[name] else {
      if isOptional { return nil }
      throw entry.problem(
        "column",
        "there is no column `\(name)`. There are \(columns.keys.sorted().joined(separator: ", ")). A custom field is "
          + "named in fields.custom; with `optional: true` the column is omitted until it is")
    }
    guard column.rows.contains(rows) else {
      throw entry.problem("column", "`\(name)` is there only with `rows: \(rows == .reads ? "devices" : "reads")`")
    }
    var made = ExportLayout.Column(column, header: header)
    guard !made.header.isEmpty else { throw entry.problem("header", "a heading must not be empty") }
    if let otherwise, !otherwise.isEmpty {
      let value = column.value
      made.value = { row in
        switch value(row) {
        case .nothing: .text(otherwise)
        case .text(let text) where text.isEmpty: .text(otherwise)
        case let known: known
        }
      }
    }
    return made
  }
}

/// The fields of a mapping in a template. Errors name the line.
private struct TemplateFields {
  private let file: String
  private let mapping: Node.Mapping

  /// Reads a mapping. Throws for any other node, and for unknown and repeated fields.
  init(_ node: Node, _ file: String, known: [String]) throws(ExportTemplate.Problem) {
    guard case .mapping(let mapping) = node else {
      throw ExportTemplate.Problem(
        file, line: node.mark?.line, "lines like `key: value` are expected here: \(known.joined(separator: ", "))")
    }
    (self.file, self.mapping) = (file, mapping)
    var seen: Set<String> = []
    for (key, _) in mapping {
      let name = printable(key.string ?? "?")
      guard known.contains(name) else {
        throw ExportTemplate.Problem(
          file, line: key.mark?.line, "there is no field `\(name)` here; possible are \(known.joined(separator: ", "))")
      }
      guard seen.insert(name).inserted else {
        throw ExportTemplate.Problem(file, line: key.mark?.line, "`\(name)` is given twice")
      }
    }
  }

  subscript(name: String) -> Node? { mapping.first { $0.key.string == name }?.value }

  /// Returns an error at a field, or at the beginning of the mapping.
  func problem(_ field: String?, _ sentence: String) -> ExportTemplate.Problem {
    let line = field.flatMap { self[$0]?.mark?.line } ?? mapping.first?.key.mark?.line
    return ExportTemplate.Problem(file, line: line, sentence)
  }

  /// Returns a field's text on one line; nil if the field is missing.
  func text(_ name: String, longest: Int) throws(ExportTemplate.Problem) -> String? {
    guard let node = self[name] else { return nil }
    guard case .scalar(let scalar) = node else { throw problem(name, "`\(name)` must be text") }
    guard scalar.string.unicodeScalars.count <= longest else {
      throw problem(name, "`\(name)` is longer than \(longest) characters")
    }
    guard scalar.string.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw problem(name, "`\(name)` must be one line without control characters")
    }
    return scalar.string
  }

  /// Returns the meaning of a field's text; nil if the field is missing.
  func choice<Value>(_ name: String, _ choices: [(text: String, value: Value)]) throws(ExportTemplate.Problem) -> Value?
  {
    guard let text = try text(name, longest: 1000) else { return nil }
    guard let choice = choices.first(where: { $0.text == text }) else {
      throw problem(name, "`\(name)` must be one of \(choices.map { "`\($0.text)`" }.joined(separator: ", "))")
    }
    return choice.value
  }
}

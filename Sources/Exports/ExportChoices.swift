import Support

/// The columns and templates available for exports.
public struct ExportChoices: Sendable {
  /// A request for an unknown or impossible export.
  public struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
    /// The sentence.
    public let description: String
    /// The unknown name; nil if the problem is a different one.
    public private(set) var unknown: String?
    /// The known names.
    public private(set) var known: [String] = []

    init(_ description: String) { self.description = description }

    init(unknown name: String, _ sentence: String, known: [String]) {
      description = "\(sentence) There are \(known.joined(separator: ", "))."
      (unknown, self.known) = (name, known)
    }
  }

  /// The names of the custom fields.
  public let custom: [String]
  /// The columns in order.
  public let columns: [ExportColumn]
  /// The templates.
  public let templates: ExportTemplates

  /// Creates the choices.
  ///
  /// - Parameters:
  ///   - folder: The folder of the operator's templates; nil for none.
  ///   - names: The names of the custom fields.
  public init(templates folder: String?, custom names: [String] = []) {
    custom = names
    columns = ExportColumn.all(custom: names)
    templates = ExportTemplates(folder: folder, custom: names)
  }

  /// Returns the layout of the given columns, of a template, or the default layout. Throws `Problem`. Blocks for the
  /// disk if a template is named.
  ///
  /// - Parameter rows: The rows; nil for the template's, otherwise reads.
  public func layout(columns names: [String]?, template: String?, rows: ExportRows?) throws(Problem) -> ExportLayout {
    switch (names, template) {
    case (_?, _?): throw Problem("Columns and a template exclude each other: a template has its own columns.")
    case (let names?, nil): try layout(columns: names, rows: rows ?? .reads)
    case (nil, let template?): try layout(template: template, rows: rows)
    case (nil, nil): ExportLayout(standardOf: rows ?? .reads, custom: custom)
    }
  }

  private func layout(columns names: [String], rows: ExportRows) throws(Problem) -> ExportLayout {
    var chosen: [ExportColumn] = []
    for name in names {
      let shown = Self.shown(name)
      guard let column = columns.first(where: { $0.name == name }) else {
        throw Problem(unknown: name, "There is no column `\(shown)`.", known: columns.map(\.name))
      }
      guard !chosen.contains(where: { $0.name == name }) else {
        throw Problem("The column `\(shown)` is named twice.")
      }
      if !column.rows.contains(rows), let other = column.rows.first {
        throw Problem("The column `\(shown)` needs `rows=\(other.rawValue)`.")
      }
      chosen.append(column)
    }
    return ExportLayout(chosen, rows: rows)
  }

  private func layout(template name: String, rows: ExportRows?) throws(Problem) -> ExportLayout {
    let shown = Self.shown(name)
    let found: ExportTemplate?
    do {
      found = try templates.template(named: name)
    } catch {
      throw Problem("The template `\(shown)` can't be used. \(error).")
    }
    guard let layout = found?.layout else {
      let known = templates.read().templates.map(\.name)
      throw Problem(unknown: name, "There is no template `\(shown)`.", known: known)
    }
    guard let rows else { return layout }
    guard let other = layout.of(rows) else {
      throw Problem("The template `\(shown)` has columns that need `rows=\(layout.rows.rawValue)`.")
    }
    return other
  }

  /// The beginning of a name, for messages.
  private static func shown(_ name: String) -> String {
    printable(String(String.UnicodeScalarView(name.unicodeScalars.prefix(40))))
  }
}

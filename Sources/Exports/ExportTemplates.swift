import EmbeddedFiles
import Foundation
import Support

/// The export templates: built-in ones, and those in the operator's folder, which is read on every request.
public struct ExportTemplates: Sendable {
  /// The maximum number of files in the folder.
  private static let mostFiles = 200
  /// The maximum number of characters of a name.
  private static let longestName = 50

  private let folder: String?
  private let columns: [String: ExportColumn]
  private let builtIn: [ExportTemplate]

  /// Creates the templates.
  ///
  /// - Parameters:
  ///   - folder: The operator's folder; nil for none.
  ///   - names: The names of the custom fields.
  public init(folder: String?, custom names: [String] = []) {
    self.folder = folder
    let columns = Dictionary(ExportColumn.all(custom: names).map { ($0.name, $0) }) { first, _ in first }
    self.columns = columns
    builtIn = Self.embedded.compactMap { file in
      try? ExportTemplate(file.text, named: Self.name(of: file.name), file: file.name, columns: columns)
    }
  }

  /// The built-in files.
  package static let embedded: [(name: String, text: String)] =
    (0..<serialscan_embedded_export_template_count()).map { index in
      let file = serialscan_embedded_export_template(index)
      let bytes = UnsafeBufferPointer(start: file.bytes, count: file.size)
      return (String(cString: file.name), String(decoding: bytes, as: UTF8.self))
    }

  /// Returns the templates in the order of their names, and a sentence about each invalid file. A file in the folder
  /// replaces the built-in template of the same name. Blocks for the disk.
  public func read() -> (templates: [ExportTemplate], problems: [String]) {
    let own = files()
    var templates = Dictionary(builtIn.map { ($0.name, $0) }) { first, _ in first }
    var problems = own.problems
    for file in own.names {
      switch template(file) {
      case .success(let template): templates[template.name] = template
      case .failure(let problem):
        problems.append(problem.description)
        // If the replacement is invalid, don't silently use the built-in template.
        templates[Self.name(of: file)] = nil
      }
    }
    return (templates.values.sorted { $0.name < $1.name }, problems)
  }

  /// Returns the template with a name; nil if there is none. Throws `ExportTemplate.Problem` if its file is invalid.
  /// Blocks for the disk.
  public func template(named name: String) throws(ExportTemplate.Problem) -> ExportTemplate? {
    if let file = files().names.first(where: { Self.name(of: $0) == name }) { return try template(file).get() }
    return builtIn.first { $0.name == name }
  }

  private func template(_ file: String) -> Result<ExportTemplate, ExportTemplate.Problem> {
    Result { () throws(ExportTemplate.Problem) in
      let bytes: [UInt8]
      do throws(RegularFile.Problem) {
        bytes = try RegularFile.bytes(of: "\(folder ?? "")/\(file)", limit: ExportTemplate.mostBytes)
      } catch {
        let reason =
          switch error {
          case .missing: "the file no longer exists"
          case .notRegular: "it is not a file"
          case .tooLarge(let limit): "a template has at most \(limit >> 10) KB"
          case .refused(let number): "it can't be read: \(String(cString: strerror(number)))"
          }
        throw ExportTemplate.Problem(printable(file), reason)
      }
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw ExportTemplate.Problem(printable(file), "it is not UTF-8 text")
      }
      return try ExportTemplate(text, named: Self.name(of: file), file: printable(file), columns: columns)
    }
  }

  /// Returns the folder's template files, one for each name.
  private func files() -> (names: [String], problems: [String]) {
    guard let folder else { return ([], []) }
    let entries: [String]
    do {
      entries = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      return (
        [], ["export.templates: the folder \(printable(folder)) can't be read; check the path and its permissions"]
      )
    }
    var problems: [String] = []
    var names: [String] = []
    for entry in entries.sorted() where !entry.hasPrefix(".") && (entry.hasSuffix(".yaml") || entry.hasSuffix(".yml")) {
      let name = Self.name(of: entry)
      if !Self.isName(name) {
        problems.append(
          "\(printable(entry)): a template's name has 1 to \(Self.longestName) lower-case letters, digits, - and _")
      } else if let other = names.first(where: { Self.name(of: $0) == name }) {
        problems.append("\(printable(entry)): \(printable(other)) has the same name")
      } else {
        names.append(entry)
      }
    }
    if names.count > Self.mostFiles {
      problems.append("export.templates: the folder has more than \(Self.mostFiles) templates; the others are ignored")
      names = Array(names.prefix(Self.mostFiles))
    }
    return (names, problems)
  }

  /// Returns a file's name without its extension.
  private static func name(of file: String) -> String { (file as NSString).deletingPathExtension }

  private static func isName(_ name: String) -> Bool {
    (1...longestName).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      }
  }
}

import Foundation
import ScanModel
import Support

/// A labelled folder, or a folder of labelled folders, below the root of datasets and nowhere else.
public struct Dataset: Sendable, Equatable {
  /// Why a name is refused.
  public enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name leads out of the root, or is no name of a folder.
    case outside(name: String)
    /// There is no such folder.
    case missing(name: String)
    /// Neither the folder nor one in it has labels.
    case unlabelled(name: String)

    /// Whether the name is right, and what is lacking here may be elsewhere.
    public var isAbsence: Bool {
      switch self {
      case .outside: false
      case .missing, .unlabelled: true
      }
    }

    /// A sentence for a person.
    public var description: String {
      switch self {
      case .outside(let name):
        "\"\(name)\" is no dataset: give the name of a folder below the datasets folder, without \"..\"."
      case .missing(let name): "There is no dataset \"\(name)\" in the datasets folder."
      case .unlabelled(let name):
        "The dataset \"\(name)\" has no labels.csv (filename,serial), nor has a folder in it."
      }
    }
  }

  /// One labelled picture.
  public struct Picture: Sendable, Equatable {
    /// The folder, relative to the dataset; empty for itself.
    public var folder: String
    /// Its row of labels.
    public var label: LabelsFile.Label
    /// Where the folder is.
    var folderPath: String

    /// Where it is, links resolved; nil where its name leads out of its folder. Asks the file system.
    ///
    /// A name with accents is looked for as it is written, composed and decomposed: file systems and programs differ in it.
    public var path: String? {
      let written = label.filename
      let path = Dataset.resolve(written, below: folderPath)
      guard let path, !written.utf8.allSatisfy({ $0 < 0x80 }), !FileManager.default.fileExists(atPath: path) else {
        return path
      }
      return [written.precomposedStringWithCanonicalMapping, written.decomposedStringWithCanonicalMapping].lazy
        .compactMap { Dataset.resolve($0, below: folderPath) }
        .first { FileManager.default.fileExists(atPath: $0) } ?? path
    }

    /// Why it can't be read, to be reported in its row; nil where it can be tried.
    public var failure: ReadFailure? {
      guard let path else {
        return ReadFailure(.photoMissing, "The name leads out of the dataset's folder.")
      }
      guard FileManager.default.fileExists(atPath: path) else {
        return ReadFailure(.photoMissing, "There is no such picture in the folder.")
      }
      return RegularFile.exists(at: path)
        ? nil : ReadFailure(.photoMissing, "That is no file: a folder, a pipe or a device is not read.")
    }
  }

  /// The name it was asked for by.
  public var name: String
  /// Where it is, without links.
  public var path: String

  /// Finds a dataset. Throws `Problem`.
  public init(named name: String, below root: String) throws(Problem) {
    guard let path = Self.resolve(name, below: root) else { throw .outside(name: name) }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
      throw .missing(name: name)
    }
    self.name = name
    self.path = path
  }

  /// Whether a folder of that name may lie elsewhere, and none with labels lies below this root.
  public static func isAbsent(_ name: String, below root: String) -> Bool {
    do {
      return try Dataset(named: name, below: root).labelledFolders.isEmpty
    } catch {
      return error.isAbsence
    }
  }

  /// What a dataset holds.
  public struct Contents: Sendable {
    /// The pictures of its labels, folder by folder.
    public var pictures: [Picture]
    /// What stands out in its labels.
    public var warnings: [LabelWarning]

    /// Holds nothing.
    public init() { (pictures, warnings) = ([], []) }
  }

  /// The pictures of its labels, folder by folder. Throws `Problem.unlabelled` and `LabelsFile.Problem`.
  public func pictures() throws -> [Picture] { try contents().pictures }

  /// Its pictures, and what stands out in its labels. Throws `Problem.unlabelled`, `LabelsFile.Problem`, and
  /// `CancellationError` where `isCancelled` says so between two folders.
  ///
  /// - Parameter known: Folders that were parsed before.
  public func contents(known: LabelledFolders = LabelledFolders(), isCancelled: () -> Bool = { false }) throws
    -> Contents
  {
    let folders = labelledFolders
    guard !folders.isEmpty else { throw Problem.unlabelled(name: name) }
    var contents = Contents()
    var warnings = LabelWarnings()
    for folder in folders {
      if isCancelled() { throw CancellationError() }
      let folderPath = folder.isEmpty ? path : path + "/" + folder
      let parsed = try known.folder(at: folderPath)
      warnings.add(parsed.warnings)
      contents.pictures += parsed.labels.map { Picture(folder: folder, label: $0, folderPath: folderPath) }
    }
    contents.warnings = warnings.all
    return contents
  }

  /// Itself, and the folders directly in it, where they have labels.
  private var labelledFolders: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return ([""] + names.sorted()).filter { name in
      guard let file = Self.resolve(name.isEmpty ? "labels.csv" : name + "/labels.csv", below: path) else {
        return false
      }
      return RegularFile.exists(at: file)
    }
  }

  /// The file or folder of a relative name, links resolved; nil where that is not below the root.
  fileprivate static func resolve(_ name: String, below root: String) -> String? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !name.isEmpty, !name.hasPrefix("/"), !name.unicodeScalars.contains("\0"), !name.contains("\\"),
      parts.allSatisfy({ $0 != ".." && $0 != "." })
    else { return nil }
    let realRoot = URL(fileURLWithPath: root, isDirectory: true).resolvingSymlinksInPath().standardizedFileURL.path
    let real = URL(fileURLWithPath: realRoot + "/" + name).resolvingSymlinksInPath().standardizedFileURL.path
    return real.hasPrefix(realRoot == "/" ? "/" : realRoot + "/") ? real : nil
  }
}

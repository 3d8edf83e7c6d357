import Foundation
import ScanModel
import Support

/// A labelled folder, or a folder of labelled folders, below the datasets root.
public struct Dataset: Sendable, Equatable {
  /// The reasons for which a name is rejected.
  public enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name leads out of the root or is not a folder name.
    case outside(name: String)
    /// The folder does not exist.
    case missing(name: String)
    /// Neither the folder nor any folder directly in it has labels.
    case unlabelled(name: String)
    /// The system refuses to show the folder or its labels.
    case refused(name: String, reason: String)

    /// Whether the name is valid, so that another machine may have the dataset.
    public var isAbsence: Bool {
      switch self {
      case .outside: false
      case .missing, .unlabelled, .refused: true
      }
    }

    /// The message.
    public var description: String {
      switch self {
      case .outside(let name):
        "\"\(name)\" is not a dataset: give the name of a folder below the datasets folder, without \"..\"."
      case .missing(let name):
        "There is no dataset \"\(name)\" in the datasets folder: the name is mistyped, or the folder was moved."
      case .unlabelled(let name):
        "The dataset \"\(name)\" has neither a labels.csv (filename,serial) nor a folder with one."
      case .refused(let name, let reason): "The dataset \"\(name)\" can't be read: \(reason)."
      }
    }
  }

  /// One labelled picture.
  public struct Picture: Sendable, Equatable {
    /// The folder relative to the dataset; empty for the dataset itself.
    public var folder: String
    /// The picture's row in the labels.
    public var label: LabelsFile.Label
    /// The path of the folder.
    var folderPath: String

    /// The picture's path with links resolved; nil if its name leads out of its folder. Accesses the file system.
    ///
    /// Tries a name with accents as written, composed and decomposed, because file systems and programs differ in the
    /// form they use.
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

    /// Why the picture can't be read, for its row; nil if the file can be read.
    public var failure: ReadFailure? {
      guard let path else {
        return ReadFailure(.photoMissing, "The name points outside the dataset's folder.")
      }
      do throws(RegularFile.Problem) {
        close(try RegularFile.open(path).descriptor)
        return nil
      } catch {
        return ReadFailure(.photoMissing, error.sentence(missing: "There is no such picture in the folder."))
      }
    }
  }

  /// The name by which it was requested.
  public var name: String
  /// The path, with links resolved.
  public var path: String

  /// Finds a dataset. Throws `Problem`.
  public init(named name: String, below root: String) throws(Problem) {
    guard let path = Self.resolve(name, below: root) else { throw .outside(name: name) }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
      throw Problem(hiding: path, of: name) ?? .missing(name: name)
    }
    self.name = name
    self.path = path
  }

  /// Whether the name is valid but no dataset with labels has it below this root; another machine may have it.
  public static func isAbsent(_ name: String, below root: String) -> Bool {
    do {
      _ = try Dataset(named: name, below: root).labelledFolders()
      return false
    } catch {
      return error.isAbsence
    }
  }

  /// The contents of a dataset.
  public struct Contents: Sendable {
    /// The labelled pictures, folder by folder.
    public var pictures: [Picture]
    /// The warnings about the labels.
    public var warnings: [LabelWarning]

    /// Creates empty contents.
    public init() { (pictures, warnings) = ([], []) }
  }

  /// Returns the labelled pictures and the warnings about the labels. Throws `Problem`, `LabelsFile.Problem`,
  /// and `CancellationError` if `isCancelled` returns true between two folders.
  ///
  /// - Parameter known: The cache of parsed folders.
  public func contents(known: LabelledFolders = LabelledFolders(), isCancelled: () -> Bool = { false }) throws
    -> Contents
  {
    let folders = try labelledFolders()
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

  /// Returns the dataset's own folder and the folders directly in it, as far as they have labels.
  private func labelledFolders() throws(Problem) -> [String] {
    var names = [""]
    var refusal: FileRefusal?
    do {
      names += try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    } catch {
      refusal = FileRefusal(error)
    }
    let files = names.map { ($0, Self.resolve($0.isEmpty ? "labels.csv" : $0 + "/labels.csv", below: path)) }
    let labelled = files.filter { $0.1.map { RegularFile.exists(at: $0) } ?? false }.map(\.0)
    guard labelled.isEmpty else { return labelled }
    if let reason = refusal?.systemText { throw .refused(name: name, reason: reason) }
    throw files.lazy.compactMap { $0.1.flatMap { Problem(hiding: $0, of: name) } }.first ?? .unlabelled(name: name)
  }

  /// Resolves a relative name and its links; nil if the result is not below the root.
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

extension Dataset.Problem {
  /// Creates the problem of a path that the system refuses to show; nil if it shows it, or nothing is there.
  fileprivate init?(hiding path: String, of name: String) {
    guard let reason = FileRefusal(hiding: path)?.systemText else { return nil }
    self = .refused(name: name, reason: reason)
  }
}

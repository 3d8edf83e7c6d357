import ArgumentParser
import Foundation
import Support

/// Writes the annotated pictures of `scan --annotate`.
final class Drawings {
  private enum Place {
    case file(String)
    case folder(String)
  }

  private let place: Place
  /// Files written so far, so that `a.jpg` and `a.png` do not get the same output file.
  private var written: Set<String> = []

  /// Takes the path of a PNG file, or creates a folder. Ends the program with a usage error if a single file is named
  /// for several pictures.
  init(at path: String, count: Int) throws {
    guard Self.ending(of: path) == "png" else {
      place = .folder(path)
      do {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      } catch {
        throw CleanExit.failure("the folder \(path) can't be created: \(error.localizedDescription)")
      }
      return
    }
    guard count == 1 else {
      throw ValidationError(
        "--annotate \(printable(path)) is one file, but there are \(count) pictures: name a folder for a PNG of each"
      )
    }
    place = .file(path)
  }

  /// Returns a path's extension in lower case.
  static func ending(of path: String) -> String { (path as NSString).pathExtension.lowercased() }

  /// Writes a picture's PNG. Ends the program with a message if that fails.
  func write(_ png: [UInt8], of picture: ScanInput.Picture) throws {
    let path = path(of: picture)
    do {
      let folder = (path as NSString).deletingLastPathComponent
      if !folder.isEmpty { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
      try Data(png).write(to: URL(fileURLWithPath: path))
    } catch {
      throw CleanExit.failure("\(path) can't be written: \(error.localizedDescription)")
    }
  }

  private func path(of picture: ScanInput.Picture) -> String {
    switch place {
    case .file(let path): return path
    case .folder(let folder):
      let name = folder + "/" + (picture.place as NSString).deletingPathExtension
      var path = name + ".png"
      var number = 2
      while !written.insert(path).inserted {
        path = "\(name)-\(number).png"
        number += 1
      }
      return path
    }
  }
}

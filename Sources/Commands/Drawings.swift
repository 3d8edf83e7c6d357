import ArgumentParser
import Foundation
import Support

/// The annotated pictures of `scan --annotate`.
struct Drawings {
  /// The path of each picture's drawing, in the order of the pictures. All differ, also for `a.jpg` and `a.png`.
  private let paths: [String]
  /// Whether a single file is named instead of a folder.
  private let isFile: Bool

  /// Names the drawings: a PNG file, or a PNG for each picture in a folder. Ends the program with a usage error if a
  /// single file is named for several pictures.
  init(at path: String, of pictures: [ScanInput.Picture]) throws {
    isFile = Self.ending(of: path) == "png"
    guard isFile else {
      paths = Self.paths(of: pictures, in: path)
      return
    }
    guard pictures.count == 1 else {
      throw ValidationError(
        "--annotate \(printable(path)) is one file, but there are \(pictures.count) pictures: name a folder for a PNG of each"
      )
    }
    paths = [path]
  }

  private static func paths(of pictures: [ScanInput.Picture], in folder: String) -> [String] {
    var taken: Set<String> = []
    return pictures.map { picture in
      let name = folder + "/" + (picture.place as NSString).deletingPathExtension
      var path = name + ".png"
      var number = 2
      while !taken.insert(path).inserted {
        path = "\(name)-\(number).png"
        number += 1
      }
      return path
    }
  }

  /// Returns a path's extension in lower case.
  static func ending(of path: String) -> String { (path as NSString).pathExtension.lowercased() }

  /// Ends the program with a usage error if a drawing would replace a picture.
  func spare(_ inputs: InputFiles) throws {
    for path in paths { try inputs.protect(from: path, of: "--annotate") }
  }

  /// Creates the drawings' folders. Ends the program with a message if that fails, or if a folder has the name of the
  /// file.
  func makeFolders() throws {
    for folder in Set(paths.map { ($0 as NSString).deletingLastPathComponent }) where !folder.isEmpty {
      try OutputFile.makeFolder(folder)
    }
    if isFile { try paths.forEach(OutputFile.refuseFolder) }
  }

  /// Writes the PNG of the picture at an index. Ends the program with a message if that fails.
  func write(_ png: [UInt8], at index: Int) throws { try OutputFile.write(png, to: paths[index]) }
}

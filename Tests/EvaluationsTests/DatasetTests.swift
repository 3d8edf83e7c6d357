import Evaluations
import Exports
import Foundation
import ScanModel
import Testing

/// Datasets: found by name below their root, and never outside it, whatever names or links say.
@Suite struct DatasetTests {
  /// `root/good` and `root/nested/inner` are labelled, `root/plain` is not, `root/link` and a picture lead outside.
  private func withRoot(_ body: (String) throws -> Void) throws {
    let base = NSTemporaryDirectory() + "serialscan-datasets-" + UUID().uuidString
    let files = FileManager.default
    defer { try? files.removeItem(atPath: base) }
    for folder in ["root/good", "root/nested/inner", "root/plain", "outside"] {
      try files.createDirectory(atPath: "\(base)/\(folder)", withIntermediateDirectories: true)
    }
    let labels =
      "\u{FEFF}filename,serial\r\n\"a.jpg\",c02xl0thjhcc\r\ngone.jpg,F2L\r\n../../outside/a.jpg,X\r\nout.jpg,Y\r\n"
    for folder in ["root/good", "root/nested/inner", "outside"] {
      try labels.write(toFile: "\(base)/\(folder)/labels.csv", atomically: true, encoding: .utf8)
      try Data("x".utf8).write(to: URL(fileURLWithPath: "\(base)/\(folder)/a.jpg"))
    }
    try files.createSymbolicLink(atPath: "\(base)/root/link", withDestinationPath: "\(base)/outside")
    try files.createSymbolicLink(atPath: "\(base)/root/good/out.jpg", withDestinationPath: "\(base)/outside/a.jpg")
    try files.createSymbolicLink(atPath: "\(base)/root/alias", withDestinationPath: "\(base)/root/good")
    try body(base + "/root")
  }

  @Test func acceptsNamesBelowRoot() throws {
    try withRoot { (root) throws -> Void in
      for name in ["alias", "good", "nested"] { #expect(!Dataset.isAbsent(name, below: root), "\(name)") }
      #expect(Dataset.isAbsent("plain", below: root))
      #expect(try Dataset(named: "nested/inner", below: root).contents().pictures.count == 4)
      // A link within the root works like its target.
      #expect(try Dataset(named: "alias", below: root).path.hasSuffix("/root/good"))
    }
  }

  @Test(arguments: [
    "..", "../outside", "good/../../outside", "/etc", "", ".", "good/.", "link", "link/", "a\0b", "..\\x",
  ])
  func rejectsNamesThatLeadOutside(name: String) throws {
    try withRoot { (root) throws -> Void in
      #expect(throws: Dataset.Problem.outside(name: name)) { try Dataset(named: name, below: root) }
    }
  }

  @Test func rejectsMissingFolders() throws {
    try withRoot { (root) throws -> Void in
      #expect(throws: Dataset.Problem.missing(name: "nowhere")) { try Dataset(named: "nowhere", below: root) }
      #expect(throws: Dataset.Problem.missing(name: "good/a.jpg")) { try Dataset(named: "good/a.jpg", below: root) }
      #expect(throws: Dataset.Problem.unlabelled(name: "plain")) {
        try Dataset(named: "plain", below: root).contents()
      }
    }
  }

  /// Loops of links stand for folders that this user may not open.
  @Test(arguments: ["plain", "plain/labels.csv", "nested/inner/labels.csv"])
  func reportsFoldersThatTheSystemHides(path: String) throws {
    try withRoot { (root) throws -> Void in
      try? FileManager.default.removeItem(atPath: "\(root)/\(path)")
      try FileManager.default.createSymbolicLink(atPath: "\(root)/\(path)", withDestinationPath: "\(root)/\(path)")
      let name = String(path.prefix { $0 != "/" })
      #expect(throws: Dataset.Problem.refused(name: name, reason: "Too many levels of symbolic links")) {
        try Dataset(named: name, below: root).contents()
      }
      #expect(Dataset.isAbsent(name, below: root))
    }
  }

  @Test func reportsFoldersThatCannotBeListed() throws {
    try withRoot { (root) throws -> Void in
      let setUser = try #require(dlsym(nil, "setfsuid"))
      let setFileUser = unsafeBitCast(setUser, to: (@convention(c) (uid_t) -> CInt).self)
      #expect(chmod("\(root)/plain", 0) == 0)
      // Without root's rights, of this thread only.
      let before = UInt32(bitPattern: setFileUser(65534))
      defer { _ = setFileUser(before) }
      #expect(throws: Dataset.Problem.refused(name: "plain", reason: "Permission denied")) {
        try Dataset(named: "plain", below: root).contents()
      }
    }
  }

  @Test func matchesAccentsInEitherNormalization() throws {
    try withRoot { (root) throws -> Void in
      let (composed, apart) = ("B\u{FC}ro.jpg", "Bu\u{308}ro.jpg")
      for (inFolder, inLabels) in [(composed, apart), (apart, composed), (apart, apart)] {
        let folder = "\(root)/accents-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = Glibc.open("\(folder)/\(inFolder)", O_CREAT | O_WRONLY, 0o600)
        #expect(file >= 0)
        close(file)
        try Data("filename,serial\n\(inLabels),C02XL0THJHCC\n".utf8).write(
          to: URL(fileURLWithPath: folder + "/labels.csv"))
        let contents = try Dataset(named: (folder as NSString).lastPathComponent, below: root).contents()
        #expect(contents.pictures.count == 1 && contents.pictures[0].failure == nil, "\(inFolder.unicodeScalars.count)")
        #expect(contents.warnings.isEmpty, "\(contents.warnings)")
      }
    }
  }

  @Test func rejectsPicturesThatAreMissingOrOutside() throws {
    try withRoot { (root) throws -> Void in
      let pictures = try Dataset(named: "good", below: root).contents().pictures
      #expect(pictures.map(\.label.filename) == ["a.jpg", "gone.jpg", "../../outside/a.jpg", "out.jpg"])
      #expect(pictures.map { $0.failure?.code } == [nil, .photoMissing, .photoMissing, .photoMissing])
      #expect(pictures.map { $0.path == nil } == [false, false, true, true])
      #expect(pictures[0].label.serial == "C02XL0THJHCC")
    }
  }

  @Test func cachesLabelsUntilTheyChange() throws {
    try withRoot { (root) throws -> Void in
      let known = LabelledFolders()
      let dataset = try Dataset(named: "good", below: root)
      #expect(try dataset.contents(known: known).pictures.count == 4)
      let labels = "\(root)/good/labels.csv"
      // With the same size and time, the change is not detected.
      let before = try Data(contentsOf: URL(fileURLWithPath: labels))
      var status = stat()
      #expect(stat(labels, &status) == 0)
      let times = [status.st_mtim, status.st_mtim]
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: labels))
      try file.write(contentsOf: Data(repeating: UInt8(ascii: "x"), count: before.count))
      try file.close()
      #expect(utimensat(AT_FDCWD, labels, times, 0) == 0)
      #expect(try dataset.contents(known: known).pictures.count == 4)
      try "filename,serial\na.jpg,\n".write(toFile: labels, atomically: true, encoding: .utf8)
      let contents = try dataset.contents(known: known)
      #expect(contents.pictures.count == 1)
      #expect(contents.warnings.map(\.code) == [.unlabelledPicture], "out.jpg has no label")
      try "filename,serial\na.jpg,\nout.jpg,\nout.jpg,C02G414GMD6N\n".write(
        toFile: labels, atomically: true, encoding: .utf8)
      #expect(try dataset.contents(known: known).warnings.map(\.code) == [.contradictingRows], "out.jpg has two labels")
    }
  }

  @Test func rejectsPipeAmongPictures() throws {
    try withRoot { (root) throws -> Void in
      #expect(mkfifo("\(root)/good/gone.jpg", 0o600) == 0)
      let pictures = try Dataset(named: "good", below: root).contents().pictures
      #expect(pictures[1].failure?.detail.contains("pipe") == true)
    }
  }
}

import Foundation
import Testing

/// The photos of the kills at fault points.
enum FaultPhotos {
  private static let name = "sticker_qr.jpg"

  /// The labelled photo's serial.
  static var serial: String { (try? picture(name).serial) ?? "" }

  /// A photo that is read quickly, larger than one write of an upload.
  static func labelled() throws -> Data { try picture(name).data }

  static func withoutSerial() throws -> Data { try picture("no_serial_1.jpg").data }

  /// A picture with a valid header and damaged pixels.
  static func damaged() throws -> Data {
    var data = try picture("format_png.png").data
    let pixels = try #require(data.firstRange(of: Data("IDAT".utf8)))
    data.replaceSubrange(pixels.upperBound..<(pixels.upperBound + 1000), with: Data(count: 1000))
    return data
  }

  private static func picture(_ name: String) throws -> LabelledPicture {
    try #require(LabelledPicture.all(in: LabelledPicture.generated).first { $0.description == name })
  }
}

/// Data folders left by a server, each made once and copied for every case that starts with one.
actor DeadFolders {
  static let shared = DeadFolders()

  private var held: Task<(URL, Set<String>), any Error>?
  private var ended: Task<(URL, Set<String>), any Error>?

  /// One job is held by the server that died, another waits.
  func withHeldJob(copiedTo data: URL) async throws -> Set<String> {
    let made = held ?? Task { try await Self.make(fault: "claimed:1:server", uploads: 2, reads: false) }
    held = made
    return try await Self.copy(made.value, to: data)
  }

  /// Two jobs have ended.
  func withEndedJobs(copiedTo data: URL) async throws -> Set<String> {
    let made = ended ?? Task { try await Self.make(fault: "uploadBegun:3:server", uploads: 3, reads: true) }
    ended = made
    return try await Self.copy(made.value, to: data)
  }

  private static func make(fault: String, uploads: Int, reads: Bool) async throws -> (URL, Set<String>) {
    let server = try RunningServer(
      settings: ["workers=1"], environment: ["SERIALSCAN_FAULT": fault], program: RunningServer.faultyExecutable)
    let photo = try FaultPhotos.labelled()
    for _ in 0..<uploads {
      guard let reply = try? await server.upload(photo), let id = reply.json["job_id"] as? String else { break }
      if reads { _ = try await server.get("/result/\(id)?wait=60") }
    }
    _ = try await CrashTests.eventually { !server.process.isRunning }
    return (server.data, try DatabaseCopy(of: server.data).jobs)
  }

  private static func copy(_ made: (URL, Set<String>), to data: URL) throws -> Set<String> {
    try FileManager.default.removeItem(at: data)
    try FileManager.default.copyItem(at: made.0, to: data)
    try TestStore.address(for: data, copying: made.0)
    return made.1
  }
}

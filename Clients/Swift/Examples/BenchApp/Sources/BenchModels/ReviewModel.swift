import Foundation
import Observation
import SerialScanClient

/// The photos that need review, one after another.
@MainActor @Observable public final class ReviewModel {
  /// A character to check.
  public struct Character: Sendable, Equatable {
    /// The character as read.
    public var text: String
    /// Whether it is doubtful.
    public var isDoubtful: Bool
    /// The alternatives.
    public var alternatives: [String]
  }

  /// Confidence below which a character is marked.
  private static let doubt = 0.9

  /// The serial as the person changes it.
  public var serial = ""
  /// Why the last confirmation failed.
  public private(set) var problem: String?
  /// The current photo; nil if none needs review.
  public private(set) var current: PhotoRow?
  private var skipped: Set<UUID> = []
  private let photos: PhotosModel
  private let server: any BenchServer

  /// Creates a model of the photos that need review.
  public init(photos: PhotosModel, server: any BenchServer) {
    self.photos = photos
    self.server = server
  }

  /// The number of photos that need review.
  public var count: Int { photos.toReview.count }
  /// The current photo's characters; empty for a code.
  public var characters: [Character] {
    read?.characters?.map {
      Character(
        text: $0.character, isDoubtful: $0.confidence < Self.doubt,
        alternatives: $0.alternatives?.map(\.character) ?? [])
    } ?? []
  }
  /// Why the current photo needs review.
  public var doubts: [String] { read?.doubts?.map(\.sentence) ?? [] }
  /// Whether the serial can be confirmed: serials have 8 to 12 letters and digits.
  public var canConfirm: Bool {
    current != nil && (8...12).contains(typed.count) && typed.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  private var typed: String { serial.uppercased().filter { !$0.isWhitespace } }
  private var read: SerialResult? { current.flatMap { photos.result(of: $0.id)?.results?.serials.first } }

  /// Shows the first photo that needs review, unless one is already shown.
  public func begin() {
    if let current, photos.toReview.contains(where: { $0.id == current.id }) { return }
    next()
  }

  /// Replaces a character with an alternative.
  public func replace(characterAt index: Int, with text: String) {
    var characters = serial.map(String.init)
    guard characters.indices.contains(index) else { return }
    characters[index] = text
    serial = characters.joined()
  }

  /// Saves the serial, and shows the next photo.
  public func confirm() async {
    guard canConfirm, let current, let jobId = current.jobId else { return }
    do {
      let confirmation = try await server.confirm(jobId: jobId, serial: typed)
      photos.confirmed(current.id, serial: confirmation.serial)
      next()
    } catch { problem = error.localizedDescription }
  }

  /// Shows the next photo; this one is shown again after the others.
  public func skip() {
    if let current { skipped.insert(current.id) }
    next()
  }

  private func next() {
    let waiting = photos.toReview
    if waiting.allSatisfy({ skipped.contains($0.id) }) { skipped = [] }
    current = waiting.first { !skipped.contains($0.id) && $0.id != current?.id } ?? waiting.first
    serial = current?.serial ?? ""
    problem = nil
  }
}
